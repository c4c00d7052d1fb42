// What a pass over many cells computes, four float32 numbers at a time, on arrays in one memory of WebAssembly. The bytes that
// training_networks.js has are made by
//   clang --target=wasm32 -O2 -msimd128 -mllvm -force-vector-interleave=1 -ffreestanding -nostdlib -fvisibility=hidden
//     -Wl,--no-entry,--import-memory,--export-dynamic,--strip-all,-z,stack-size=0 pass.c -o pass.wasm
typedef float numbers __attribute__((vector_size(16), aligned(4)));
#define EXPORT __attribute__((visibility("default")))

/** C = A B of matrices (n, depth)(depth, m), n at least 4, m at least 8: A[i ai + l al], B and C row by row. */
EXPORT void product(const float *A, int ai, int al, const float *B, float *restrict C, int n, int m,
                    int depth) {
  for (int row = 0; row < n; row += 4) {
    int i = row + 4 > n ? n - 4 : row;
    for (int column = 0; column < m; column += 8) {
      int j = column + 8 > m ? m - 8 : column;
      numbers sums[4][2] = {0};
      const float *a = A + i * ai, *b = B + j;
      for (int l = 0; l < depth; l++) {
        numbers left = *(numbers *)b, right = *(numbers *)(b + 4);
#pragma unroll
        for (int r = 0; r < 4; r++) {
          sums[r][0] += a[r * ai] * left;
          sums[r][1] += a[r * ai] * right;
        }
        a += al;
        b += m;
      }
#pragma unroll
      for (int r = 0; r < 4; r++) {
        float *c = C + (i + r) * m + j;
        *(numbers *)c = sums[r][0];
        *(numbers *)(c + 4) = sums[r][1];
      }
    }
  }
}

/** The sums E[a] + E[b] of the rows of two operands, those of dropped units 0, and their squares: (n, m) each. */
EXPORT void squares(const float *E, const int *first, const int *second, const float *keep, float *restrict sum,
                    float *restrict square, int n, int m) {
  for (int r = 0; r < n; r++, sum += m, square += m) {
    const float *a = E + first[r] * m, *b = E + second[r] * m;
    for (int k = 0; k < m; k++) {
      sum[k] = (a[k] + b[k]) * keep[k];
      square[k] = sum[k] * sum[k];
    }
  }
}

/** To the rows of both operands, the gradient of their sum: twice the sum times that of its square. */
EXPORT void scatter(float *E, const int *first, const int *second, const float *sum, const float *slope, int n,
                    int m) {
  for (int r = 0; r < n; r++, sum += m, slope += m) {
    float *restrict a = E + first[r] * m, *restrict b = E + second[r] * m;
    for (int k = 0; k < m; k++) {
      float value = 2 * sum[k] * slope[k];
      a[k] += value;
      b[k] += value;
    }
  }
}

/** max(0, X + bias), those of dropped units 0: X is (n, m). */
EXPORT void rectify(float *restrict X, const float *bias, const float *keep, int n, int m) {
  for (int r = 0; r < n; r++, X += m) {
    for (int k = 0; k < m; k++) {
      float value = X[k] + bias[k];
      X[k] = value > 0 ? keep[k] * value : 0;
    }
  }
}

/** The gradient where the unit is above 0, elsewhere 0. */
EXPORT void gate(float *restrict slope, const float *X, int count) {
  for (int k = 0; k < count; k++) slope[k] = X[k] > 0 ? slope[k] : 0;
}
