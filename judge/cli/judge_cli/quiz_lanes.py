"""Lane by lane: the sectors or the banks that one request touched."""

from typing import List

from .quiz_kernels import BANKS, Access
from .terminal import Terminal

_PER_ROW = 16


def lanes_of(access: Access, terminal: Terminal) -> List[str]:
    return _shared(access, terminal) if access.space == "shared" else _global(access, terminal)


def _rows(label: str, cells: List[str], terminal: Terminal) -> List[str]:
    heads = terminal.tr("lane", "线程")
    left = max(len(label), len(heads) + 2) + 4
    lines = []
    for begin in range(0, len(cells), _PER_ROW):
        part = cells[begin:begin + _PER_ROW]
        width = max(4, max(len(cell) for cell in cells) + 1)
        lines.append(terminal.style("  " + _pad(heads, left) + "".join(f"{begin + k:>{width}}" for k in range(len(part))), "dim"))
        lines.append("  " + _pad(label, left) + "".join(f"{cell:>{width}}" for cell in part))
    return lines


def _pad(text: str, width: int) -> str:
    from .terminal import pad

    return pad(text, width)


def _global(access: Access, terminal: Terminal) -> List[str]:
    cells = []
    for lane, address in enumerate(access.addresses):
        sectors = access.sectors_of(lane) if address is not None else []
        cells.append("–" if not sectors else str(sectors[0]) if len(sectors) == 1 else f"{sectors[0]}-{sectors[-1]}")
    active = len(access.active())
    lines = _rows(terminal.tr("sector", "扇区"), cells, terminal)
    lines.append(terminal.tr(
        f"  {active} lanes, {access.bytes} bytes each: {access.sectors()} sectors of 32 bytes (0 is the lowest one touched)",
        f"  {active} 个线程，每个 {access.bytes} 字节：{access.sectors()} 个 32 字节扇区（0 是所触及的最低扇区）"))
    return lines


def _shared(access: Access, terminal: Terminal) -> List[str]:
    cells = []
    for lane, address in enumerate(access.addresses):
        banks = [word % BANKS for word in access.words_of(lane)] if address is not None else []
        cells.append("–" if not banks else str(banks[0]) if len(banks) == 1 else f"{banks[0]}-{banks[-1]}")
    lines = _rows(terminal.tr("bank", "存储体"), cells, terminal)
    for group in access.groups():
        passes, bank = access.passes_of(group)
        lines.append(terminal.tr(
            f"  lanes {group[0]}–{group[-1]} together: bank {bank} holds {passes} different words that they want: "
            f"{passes} wavefront" + ("s" if passes != 1 else ""),
            f"  线程 {group[0]}–{group[-1]} 为一组：它们要的字里有 {passes} 个不同的字在存储体 {bank} 中：{passes} 个 wavefront"))
    lines.append(terminal.tr(f"  in all {access.wavefronts()} wavefronts", f"  共 {access.wavefronts()} 个 wavefront"))
    return lines
