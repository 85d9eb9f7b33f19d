// Initialisers: floats, structures, pointers into other variables, texts, managed and constant memory.
struct Node {
  short key;
  const Node* next;
  double weight;
};

__constant__ float weights[17] = {1.5f, 2.0f};
__device__ int matrix[2][3] = {{1, 2}, {3, 4, 5}};
__device__ double quarter = 0.25;
__device__ Node leaf = {7, nullptr, 1.0};
__device__ Node root = {8, &leaf, 2.0};
__device__ int* third = &matrix[0][2];
__device__ const char* text = "two words";
__managed__ int counter = 3;
__constant__ unsigned char table[5] = {255, 1, 2};
extern __shared__ float tile[];

__global__ void use(float* y) {
  __shared__ double grid[4][4];
  const int i = threadIdx.x;
  tile[i] = weights[i % 17] + matrix[i & 1][i % 3];
  grid[i & 3][i >> 2 & 3] = quarter * root.weight + root.next->key;
  __syncthreads();
  y[i] = tile[i ^ 1] + grid[1][2] + *third + text[i & 7] + table[i % 5];
  if (i == 0) counter += 1;
}
