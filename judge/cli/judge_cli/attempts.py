"""What of an attempt is remembered, so that the next one can be told what changed."""

from typing import Any, Dict, List, Optional

from .terminal import Terminal

# Figure -> the counters that it sums, and its name. What students work on comes first.
_FIGURES = {
    "sectors": (("global_load_sectors", "global_store_sectors", "global_red_sectors", "global_atom_sectors"),
                "sectors", "扇区"),
    "conflicts": (("shared_load_conflicts", "shared_store_conflicts", "shared_atomic_conflicts"),
                  "bank conflicts", "存储体冲突"),
    "local_sectors": (("local_load_sectors", "local_store_sectors"), "local sectors", "本地内存扇区"),
    "divergent_branches": (("divergent_branches",), "divergent branches", "分化的分支"),
    "warp_instructions": (("warp_instructions",), "instructions", "指令"),
}


def attempt_of(report: Dict[str, Any]) -> Dict[str, Any]:
    """verdict, how many cases were right, and the figures of the case that is measured: the timed one, or else the largest
    that ran."""
    cases = [case for case in report.get("cases", []) if case.get("ran")]
    kept: Dict[str, Any] = {"verdict": report["verdict"], "cases_right": sum(c["verdict"] == "accepted" for c in cases),
                            "cases": len(report.get("cases", []))}
    right = [case for case in cases if case["verdict"] == "accepted" and not case.get("hidden")]
    measured = next((case for case in right if case.get("timed")), None) or max(
        right, key=lambda c: max(c.get("sizes", {}).values(), default=0), default=None)
    if measured is not None:
        kept.update(case=measured["name"], sizes=measured.get("sizes", {}), timed=bool(measured.get("timed")),
                    figures=_figures(measured))
    return kept


def _figures(case: Dict[str, Any]) -> Dict[str, int]:
    launches = case.get("record", {}).get("launches", [])
    return {name: sum(launch.get("counters", {}).get(counter, 0) for launch in launches for counter in counters)
            for name, (counters, _, _) in _FIGURES.items()}


def better(new: Dict[str, Any], old: Optional[Dict[str, Any]]) -> bool:
    """Of two accepted attempts: fewer sectors, then fewer conflicts, then fewer instructions."""
    if "figures" not in new or not new.get("timed"):
        return False
    if not old or old.get("sizes") != new["sizes"]:
        return True
    return [new["figures"].get(k, 0) for k in _FIGURES] < [old["figures"].get(k, 0) for k in _FIGURES]


def best_of(best: Optional[Dict[str, Any]], terminal: Terminal) -> str:
    """For the list: "1,572,914 sectors, 31 bank conflicts"; nothing where nothing was measured."""
    if not best or not isinstance(best.get("figures"), dict):
        return ""
    figures = best["figures"]
    words = [_named("sectors", figures.get("sectors", 0), terminal)]
    if figures.get("conflicts"):
        words.append(_named("conflicts", figures["conflicts"], terminal))
    return terminal.tr(", ", "，").join(words)


def _named(name: str, value: int, terminal: Terminal) -> str:
    _, english, chinese = _FIGURES[name]
    return terminal.tr(f"{value:,} {english}", f"{value:,} 个{chinese}")


def changes(old: Optional[Dict[str, Any]], new: Dict[str, Any], terminal: Terminal) -> List[str]:
    """Since the attempt before: verdict, cases, and figures that are of the same case and sizes. Empty when nothing changed."""
    if not old:
        return []
    tr, parts = terminal.tr, []
    if old.get("verdict") != new["verdict"]:
        words = [str(v).replace("_", " ") for v in (old.get("verdict"), new["verdict"])]
        parts.append(f"{words[0]} → {words[1]}")
    if old.get("cases_right") != new["cases_right"]:
        parts.append(tr(f"cases right {old.get('cases_right')} → {new['cases_right']} of {new['cases']}",
                        f"正确的用例 {old.get('cases_right')} → {new['cases_right']}，共 {new['cases']} 个"))
    if old.get("case") == new.get("case") and old.get("sizes") == new.get("sizes") and "figures" in new:
        for name, (_, english, chinese) in _FIGURES.items():
            before, now = old.get("figures", {}).get(name, 0), new["figures"][name]
            if before != now:
                parts.append(f"{tr(english, chinese)} {before:,} → {now:,}")
    return parts
