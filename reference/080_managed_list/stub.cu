// Exercise 80: linked lists in managed memory.  sums[g] = the sum of value[i] over all items i with group[i] == g.
// The task is explained in statement.md (or: python3 practice/judge.py show 80).

struct Node {
  float value;
  Node* next;  // the next item of the same group; null at the end of the list
};

__global__ void sum_lists(Node* const* heads, float* sums, int groups) {
  // TODO 4: one thread for each group walks along its list, from heads[g] until the pointer is null, and stores the sum.
  // A group without items has no first node: its sum is 0.
}

// The judge calls this function. value and group are host pointers to n items, sums is a device pointer to `groups`
// floats.
void managed_list(const float* value, const int* group, float* sums, int n, int groups) {
  // TODO 1: allocate n nodes and `groups` heads in managed memory (cudaMallocManaged). Host and device will use the same
  // pointers.

  // TODO 2: build the lists here, on the host: every item becomes the new head of its group's list.

  // TODO 3: the kernel is about to need all of it. Have the pages moved to the device beforehand, in two large pieces
  // instead of page fault by page fault:
  //   cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
  //   cudaMemPrefetchAsync(pointer, bytes, device, 0, stream);

  // TODO 5: launch the kernel, and free the memory.
}
