"""Runs the PTX files of this folder on a GPU, through the driver, and compares with the outputs that they list.

    python3 tests/ptx/on_gpu.py [PATTERN ...]

Needs libcuda.so.1 and a GPU; files for another architecture (sm_90a on something else, say) are counted as refused. Ends
with "N passed, N failed, N refused" and status 0 when none failed.
"""

import ctypes
import fnmatch
import math
import struct
import sys
from pathlib import Path

cuda = ctypes.CDLL("libcuda.so.1")
U64 = ctypes.c_uint64


def check(code, what):
    if code != 0:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(code, ctypes.byref(name))
        raise RuntimeError(f"{what}: {name.value.decode() if name.value else code}")


def value(bits, kind):
    if kind == "f32":
        return struct.unpack("f", struct.pack("I", bits & 0xFFFFFFFF))[0]
    if kind == "bf16":
        return struct.unpack("f", struct.pack("I", (bits & 0xFFFF) << 16))[0]
    if kind == "f64":
        return struct.unpack("d", struct.pack("Q", bits))[0]
    return struct.unpack("e", struct.pack("H", bits & 0xFFFF))[0]


class File:
    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        self.inputs, self.outputs, self.rows, self.within, self.relative = [], [], [], 0.0, True
        for line in self.text.splitlines():
            if not line.startswith("//"):
                break
            words = line[2:].split()
            if not words:
                continue
            if words[0] == "in:":
                self.inputs = words[1:]
            elif words[0] == "out:":
                self.outputs = words[1:]
            elif words[0] == "within:":
                self.within, self.relative = float(words[1]), words[2] == "relative"
            elif "->" in words:
                arrow = words.index("->")
                self.rows.append(([int(w, 16) for w in words[:arrow]], [int(w, 16) for w in words[arrow + 1:]]))

    def agrees(self, kind, got, expected):
        if got == expected:
            return True
        if self.within == 0:
            return False
        x, y = value(got, kind), value(expected, kind)
        return not math.isnan(x) and abs(x - y) <= self.within * (abs(y) if self.relative else 1.0)


def run(file):
    """Rows of outputs; None where the driver refuses the module."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    if cuda.cuModuleLoadData(ctypes.byref(module), file.text.encode() + b"\0") != 0:
        return None
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"test"), "cuModuleGetFunction")
    inputs = [v for row, _ in file.rows for v in row]
    count = len(file.rows) * len(file.outputs)
    buffers = []
    for values in (inputs, [0] * count):
        host = (U64 * max(1, len(values)))(*values)
        device = U64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(device), ctypes.c_size_t(ctypes.sizeof(host))), "cuMemAlloc")
        check(cuda.cuMemcpyHtoD_v2(device, host, ctypes.c_size_t(ctypes.sizeof(host))), "cuMemcpyHtoD")
        buffers.append((host, device))
    pointers = (ctypes.c_void_p * 2)(*[ctypes.cast(ctypes.byref(d), ctypes.c_void_p) for _, d in buffers])
    check(cuda.cuLaunchKernel(function, 1, 1, 1, len(file.rows), 1, 1, 0, None, pointers, None), "cuLaunchKernel")
    check(cuda.cuCtxSynchronize(), "cuCtxSynchronize")
    host, device = buffers[1]
    check(cuda.cuMemcpyDtoH_v2(host, device, ctypes.c_size_t(ctypes.sizeof(host))), "cuMemcpyDtoH")
    for _, d in buffers:
        cuda.cuMemFree_v2(d)
    cuda.cuModuleUnload(module)
    width = len(file.outputs)
    return [list(host[r * width:(r + 1) * width]) for r in range(len(file.rows))]


def main():
    device, context = ctypes.c_int(), ctypes.c_void_p()
    check(cuda.cuInit(0), "cuInit")
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    name = ctypes.create_string_buffer(100)
    cuda.cuDeviceGetName(name, 100, device)
    print(name.value.decode())
    patterns = sys.argv[1:] or ["*"]
    passed = failed = refused = 0
    for path in sorted(Path(__file__).parent.glob("*.ptx")):
        if not any(fnmatch.fnmatch(path.name, p) for p in patterns):
            continue
        file = File(path)
        try:
            rows = run(file)
        except RuntimeError as error:
            print(f"{path.name}: {error}; nothing more can run in this process")
            failed += 1
            break
        if rows is None:
            print(f"{path.name}: refused")
            refused += 1
            continue
        wrong = [r for r, (got, (_, expected)) in enumerate(zip(rows, file.rows))
                 if not all(file.agrees(k, g, e) for k, g, e in zip(file.outputs, got, expected))]
        if wrong:
            failed += 1
            for r in wrong[:3]:
                print(f"{path.name}: row {r}: in {' '.join(map(hex, file.rows[r][0]))} "
                      f"expected {' '.join(map(hex, file.rows[r][1]))} got {' '.join(map(hex, rows[r]))}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, {refused} refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
