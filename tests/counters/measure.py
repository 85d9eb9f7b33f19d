"""Reads on a GPU what the emulator is compared with: compiles a file of kernels and runs it under Nsight Compute.

    python3 tests/counters/measure.py tests/counters/more.cu h200_more.json

Needs nvcc, ncu, and the right to read hardware counters. Writes one row for each launch, in launch order, as
README.md describes; counters that are zero are left out.
"""

import csv
import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LSU = "l1tex__{}_pipe_lsu_mem_{}.sum"
METRICS = {
    "global_load_requests": LSU.format("t_requests", "global_op_ld"),
    "global_load_sectors": LSU.format("t_sectors", "global_op_ld"),
    "global_store_requests": LSU.format("t_requests", "global_op_st"),
    "global_store_sectors": LSU.format("t_sectors", "global_op_st"),
    "global_red_requests": LSU.format("t_requests", "global_op_red"),
    "global_red_sectors": LSU.format("t_sectors", "global_op_red"),
    "global_atom_requests": LSU.format("t_requests", "global_op_atom"),
    "global_atom_sectors": LSU.format("t_sectors", "global_op_atom"),
    "shared_load_instructions": "smsp__inst_executed_op_shared_ld.sum",
    "local_load_sectors": LSU.format("t_sectors", "local_op_ld"),
    "local_store_sectors": LSU.format("t_sectors", "local_op_st"),
    "branches": "smsp__sass_branch_targets.sum",
    "divergent_branches": "smsp__sass_branch_targets_threads_divergent.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
}
for op, name in (("ld", "load"), ("st", "store"), ("atom", "atomic")):
    METRICS[f"shared_{name}_wavefronts"] = f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
    METRICS[f"shared_{name}_conflicts"] = f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"
METRICS["shared_store_instructions"] = "smsp__inst_executed_op_shared_st.sum"


def output(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command[:3]))} … ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def triple(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def main():
    source, result = Path(sys.argv[1]), Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "kernels"
        output(["nvcc", "-O3", "-lineinfo", "-std=c++17", "-w", "-arch=native", str(source), "-o", str(program)])
        report = output(["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--metrics",
                         ",".join(sorted(set(METRICS.values()))), str(program)])
    table = report[report.index('"ID"'):]
    rows = list(csv.DictReader(io.StringIO(table)))[1:]  # the first row has the units
    launches, seen = [], {}
    for row in rows:
        kernel = re.sub(r"\(.*", "", row["Kernel Name"]).replace("void ", "")
        counters = {}
        for name, metric in METRICS.items():
            value = row.get(metric, "").replace(",", "")
            if value and value != "n/a" and float(value) != 0:
                counters[name] = int(float(value))
        launches.append({"kernel": kernel, "launch": seen.get(kernel, 0), "grid": triple(row["Grid Size"]),
                         "block": triple(row["Block Size"]), "counters": counters})
        seen[kernel] = seen.get(kernel, 0) + 1
    with result.open("w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(launch) for launch in launches) + "\n]\n")
    print(f"{len(launches)} launches; first: {launches[0]}")


if __name__ == "__main__":
    main()
