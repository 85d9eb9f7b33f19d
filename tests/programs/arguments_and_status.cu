// expect: exit 7
// args: one "two words" 3
// stdin: 19
// stdout: arguments_and_status: 3 arguments, the second is "two words", the input is 19
// Arguments, input and exit status are the program's own; a file written into the working folder can be read again.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void add(int* x, int y) { *x += y; }

int main(int argc, char** argv) {
  if (argc != 4 || std::strcmp(argv[1], "one") != 0) return 1;
  int input = 0;
  if (std::scanf("%d", &input) != 1) return 1;
  std::printf("%s: %d arguments, the second is \"%s\", the input is %d\n", argv[0], argc - 1, argv[2], input);
  FILE* file = std::fopen("written_by_the_program.txt", "w");
  if (!file || std::fputs("4", file) < 0 || std::fclose(file) != 0) return 1;
  file = std::fopen("written_by_the_program.txt", "r");
  const int four = file ? std::fgetc(file) - '0' : 0;
  int *x, result = std::atoi(argv[3]);  // 3
  cudaMalloc(&x, sizeof(int));
  cudaMemcpy(x, &result, sizeof(int), cudaMemcpyHostToDevice);
  add<<<1, 1>>>(x, four);
  cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost);
  std::exit(result);
}
