// Kernels in which blocks or threads hand data over through fences and atomics, rightly and wrongly, and accesses that
// leave one variable for its neighbour. Names are not mangled, so that the tests can say them.

extern "C" {

__device__ int newest = -1;

__global__ void push_to_variable(int* next) {
  const int mine = blockIdx.x * blockDim.x + threadIdx.x;
  int old = newest;
  for (;;) {
    next[mine] = old;
    __threadfence();
    const int seen = atomicCAS(&newest, old, mine);
    if (seen == old) break;
    old = seen;
  }
}

__global__ void locked_counter(int* lock, int* count, int* log) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      const int n = *count;
      log[n] = n + 1;
      *count = n + 1;  // under the lock
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// The counter is also changed without the lock, by the last thread of each block.
__global__ void partly_locked_counter(int* lock, int* count) {
  if (threadIdx.x == blockDim.x - 1) {
    *count += 1;  // not under the lock
    return;
  }
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *count += 1;  // by the lock's owner
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void shared_lock(int* out) {
  __shared__ int lock, count;
  if (threadIdx.x == 0) lock = count = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      count = count + 1;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}

struct Node {
  int next, value;
};

__global__ void push(Node* nodes, int* head) {
  const int mine = blockIdx.x * blockDim.x + threadIdx.x;
  nodes[mine].value = 3 * mine;
  int old = *head;
  for (;;) {
    nodes[mine].next = old;
    __threadfence();
    const int seen = atomicCAS(head, old, mine);
    if (seen == old) break;
    old = seen;
  }
}

__global__ void pop(Node* nodes, int* head, int* out) {
  const int mine = blockIdx.x * blockDim.x + threadIdx.x;
  int old = *head;
  while (old >= 0) {
    const int seen = atomicCAS(head, old, nodes[old].next);
    if (seen == old) {
      out[mine] = nodes[old].value;
      break;
    }
    old = seen;
  }
}

// Decoupled look-back: status 1: the tile's own sum is there, 2: the sum up to and with this tile.
__global__ void look_back_scan(const int* in, int* out, int* sums, int* prefixes, int* status, unsigned* ticket) {
  __shared__ int s[64];
  __shared__ int tile, before;
  const int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  const int b = tile;
  s[t] = in[64 * b + t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    const int add = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += add;
    __syncthreads();
  }
  if (t == 0) {
    const int sum = s[63];
    int sofar = 0;
    sums[b] = sum;
    __threadfence();
    atomicExch(&status[b], 1);
    for (int k = b - 1; k >= 0; --k) {
      int st;
      do st = *static_cast<volatile int*>(&status[k]);
      while (st == 0);
      __threadfence();
      if (st == 2) {
        sofar += prefixes[k];
        break;
      }
      sofar += sums[k];
    }
    prefixes[b] = sofar + sum;
    __threadfence();
    atomicExch(&status[b], 2);
    before = sofar;
  }
  __syncthreads();
  out[64 * b + t] = before + s[t];
}

// mode 0: right. 1: no fence. 2: a fence for the block only. 3: fence by one thread before the others have written.
__global__ void last_block_reduce(const int* in, int* partial, unsigned* done, int* out, int mode) {
  __shared__ bool last;
  const int t = threadIdx.x, n = gridDim.x;
  if (mode == 3) {
    if (t == 0) __threadfence();
    partial[64 * blockIdx.x + t] = in[64 * blockIdx.x + t];  // stored late
    if (t == 0) last = atomicAdd(done, 1u) == n - 1;
  } else {
    partial[64 * blockIdx.x + t] = in[64 * blockIdx.x + t];  // stored first
    __syncthreads();
    if (t == 0) {
      if (mode == 0) __threadfence();
      if (mode == 2) __threadfence_block();
      last = atomicAdd(done, 1u) == n - 1;
    }
  }
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int b = 0; b < n; ++b) sum += partial[64 * b + t];  // read by the last block
    out[t] = sum;
  }
}

__global__ void fence_by_all_then_barrier(const int* in, int* partial, unsigned* done, int* out) {
  __shared__ bool last;
  const int t = threadIdx.x, n = gridDim.x;
  partial[64 * blockIdx.x + t] = in[64 * blockIdx.x + t];
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(done, 1u) == n - 1;
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int b = 0; b < n; ++b) sum += partial[64 * b + t];
    out[t] = sum;
  }
}

__global__ void fence_taken_for_grid_barrier(const int* in, int* sums, int* out) {
  if (threadIdx.x == 0) sums[blockIdx.x] = in[64 * blockIdx.x];  // before the fence
  __threadfence();
  __syncthreads();
  int total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += sums[b];  // after the fence
  out[64 * blockIdx.x + threadIdx.x] = total;
}

__global__ void grid_barrier(const int* in, int* sums, unsigned* arrived, int* out) {
  if (threadIdx.x == 0) sums[blockIdx.x] = in[64 * blockIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*static_cast<volatile unsigned*>(arrived) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  int total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += sums[b];
  out[64 * blockIdx.x + threadIdx.x] = total;
}

// Block 0 makes data, block 1 waits for the flag. early: the flag is set before the data is written.
__global__ void flag_and_data(int* data, int* flag, int* out, int early) {
  if (blockIdx.x == 0) {
    if (early) {
      __threadfence();
      atomicExch(flag, 1);
      data[0] = 42;  // too late
    } else {
      data[0] = 42;
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    out[0] = data[0];  // by the one who waited
  }
}

// Each block moves what it has read to the left, over what blocks before it have read. Their states, volatile and without
// a fence, say that they have: a block waits for the one before it, which has waited for its own. mode 1: says so before it
// reads. 2: only counts, and does not wait. 3: does not say so itself, but asks for the one before.
__global__ void move_left_in_place(int* x, volatile int* states, int* count, int by, int mode) {
  const int t = threadIdx.x, b = blockIdx.x, at = blockDim.x * b + t;
  if (mode == 1 && t == 0) states[b] = 1;
  const int v = x[at];  // read in place
  __syncthreads();
  if (t == 0) {
    if (mode == 2) atomicAdd(count, 1);
    else if (b > 0) while (states[b - 1] == 0) {}
    if (mode == 0) states[b] = 1;
    if (mode == 3) states[b + 1] = 1;
  }
  __syncthreads();
  if (at >= by) x[at - by] = v;  // written in place
}

__global__ void atomic_max(float* best, const float* in) {
  const float x = in[blockIdx.x * blockDim.x + threadIdx.x];
  int* at = reinterpret_cast<int*>(best);
  int old = *at;  // a guess, verified below
  while (__int_as_float(old) < x) {
    const int seen = atomicCAS(at, old, __float_as_int(x));
    if (seen == old) break;
    old = seen;
  }
}

__global__ void read_while_others_add(int* sum, int* out) {
  atomicAdd(sum, 1);
  out[threadIdx.x] = *sum;  // no barrier before this
}

__global__ void tickets(int* next, int* of_block, int* of_lane) {
  if (threadIdx.x == 0) of_block[blockIdx.x] = atomicAdd(&next[0], 1);
  if (blockIdx.x != 0) return;
  // Two ways that meet again only after the tickets.
  if (threadIdx.x % 2) of_lane[threadIdx.x] = atomicAdd(&next[1], 1);
  else of_lane[threadIdx.x] = atomicAdd(&next[1], 1) + 0 * clock();
}

__global__ void unset_shared(int* out) {
  __shared__ int s[32];
  if (out == nullptr) s[threadIdx.x] = 1;
  out[threadIdx.x] = s[threadIdx.x];
}

__global__ void two_arrays(const int* in, int* out, int shift) {
  __shared__ int first[64];
  __shared__ int second[64];
  const int t = threadIdx.x;
  first[t] = in[t];
  second[t] = in[t];
  __syncthreads();
  out[t] = first[t + shift] + second[63 - t];  // first with a shift
}

__global__ void swapped_arrays(const int* in, int* out, int rounds) {
  __shared__ int a[64];
  __shared__ int b[64];
  const int t = threadIdx.x;
  int *from = a, *to = b;
  from[t] = in[t];
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    to[t] = from[(t + 1) % 64] + 1;
    __syncthreads();
    int* other = from;
    from = to;
    to = other;
  }
  out[t] = from[t];
}

__global__ void two_dynamic_parts(const int* in, int* out) {
  extern __shared__ int parts[];
  int* first = parts;
  int* second = parts + 64;
  const int t = threadIdx.x;
  first[t] = in[t];
  second[t] = 2 * in[t];
  __syncthreads();
  out[t] = first[63 - t] + second[63 - t];
}

__global__ void stack_arrays(const int* index, int* out, int from) {
  int a[8], b[8];
  for (int k = 0; k < 8; ++k) {
    a[k] = k;
    b[k] = 10 * k;
  }
  a[index[from]] = 100;  // into a
  b[index[from + 1]] = 200;
  out[threadIdx.x] = a[index[2]] + b[index[3]];
}

__global__ void shuffle_across_masks(int* out, int from) {
  const int t = threadIdx.x;
  const unsigned mask = t < 16 ? 0xffffu : 0xffff0000u;
  out[t] = __shfl_sync(mask, t, from);  // 16 lanes each
}

__global__ void full_mask_in_branch(int* out) {
  const int t = threadIdx.x;
  int v = t;
  if (t < 16) v = __shfl_down_sync(~0u, t, 4);  // half of the warp
  else __syncthreads();
  out[t] = v;
}

}  // extern "C"
