/* The arithmetic of one work-item, shared by the OpenCL and the SYCL device: plain C on scalar 64-bit integers. The
 * includer defines WORD (unsigned, 64 bits), DEVICE (how a function is declared), TABLE (address space of constants)
 * and mul_high(a, b) (upper 64 bits of a product). Constants lie in one table: 7 x 12 words added after the first half
 * of each round, 7 x 12 after the second, the 12 x 12 matrix by rows, and the 4 words a capacity starts with. */

#define TABLE_SECOND 84
#define TABLE_MATRIX 168
#define TABLE_CAPACITY 312
#define EPSILON 0xffffffffUL

DEVICE WORD field_reduce(WORD low, WORD high) {
  const WORD top = high >> 32, middle = high & EPSILON, product = (middle << 32) - middle;
  WORD sum = low - top;
  sum -= low < top ? EPSILON : 0;
  sum += product;
  return sum + (sum < product ? EPSILON : 0);
}

DEVICE WORD field_multiply(WORD a, WORD b) { return field_reduce(a * b, mul_high(a, b)); }

DEVICE WORD field_canonical(WORD a) { return a >= 0xffffffff00000001UL ? a - 0xffffffff00000001UL : a; }

/* Words that go through the S-boxes side by side, because one chain of squarings waits for itself. */
#define SIDE_BY_SIDE 4
#define EACH for (int k = 0; k < SIDE_BY_SIDE; ++k)

DEVICE void square_repeatedly(WORD* a, int times) {
  for (int i = 0; i < times; ++i) EACH a[k] = field_multiply(a[k], a[k]);
}

DEVICE void seventh_powers(WORD* x) {
  EACH {
    const WORD square = field_multiply(x[k], x[k]);
    x[k] = field_multiply(field_multiply(field_multiply(square, square), square), x[k]);
  }
}

/* With q(k) = 1 + 8 + ... + 8^(k-1), 1/7 is 2^36 q(10) + 6 q(11) + 1: 63 squarings, 8 products. */
DEVICE void seventh_roots(WORD* x) {
  WORD t[SIDE_BY_SIDE], q2[SIDE_BY_SIDE], q[SIDE_BY_SIDE];
  EACH t[k] = x[k];
  square_repeatedly(t, 3);
  EACH t[k] = q2[k] = field_multiply(t[k], x[k]);
  square_repeatedly(t, 6);
  EACH t[k] = q[k] = field_multiply(t[k], q2[k]); /* q(4) */
  square_repeatedly(t, 12);
  EACH t[k] = field_multiply(t[k], q[k]); /* q(8) */
  square_repeatedly(t, 6);
  EACH t[k] = field_multiply(t[k], q2[k]); /* q(10) */
  square_repeatedly(t, 3);
  EACH q[k] = field_multiply(t[k], x[k]); /* q(11) */
  square_repeatedly(t, 31);
  EACH t[k] = field_multiply(t[k], q[k]);
  square_repeatedly(t, 1);
  EACH t[k] = field_multiply(t[k], q[k]);
  square_repeatedly(t, 1);
  EACH x[k] = field_multiply(t[k], x[k]);
}

/* Adds a b to low + high 2^64 + carry 2^128. */
#define ADD_PRODUCT(a, b)      \
  {                            \
    const WORD p = (a) * (b);  \
    WORD q = mul_high(a, b);   \
    low += p;                  \
    q += low < p ? 1 : 0;      \
    high += q;                 \
    carry += high < q ? 1 : 0; \
  }

/* Matrix, then constants: products of 64 by 64 bits for the dense one, of halves by small numbers for the circulant. */
DEVICE void linear_layer(WORD* state, TABLE const WORD* matrix, TABLE const WORD* added, int circulant) {
  WORD result[12];
  for (int i = 0; i < 12; ++i) {
    if (circulant) {
      WORD low = added[i] & EPSILON, high = added[i] >> 32;
      for (int j = 0; j < 12; ++j) {
        low += (state[j] & EPSILON) * matrix[12 * i + j];
        high += (state[j] >> 32) * matrix[12 * i + j];
      }
      const WORD shifted = high << 32, top = high >> 32;
      const WORD sum = low + ((top << 32) - top) + shifted;
      result[i] = sum + (sum < shifted ? EPSILON : 0);
    } else {
      WORD low = added[i], high = 0, carry = 0;
      for (int j = 0; j < 12; ++j) ADD_PRODUCT(matrix[12 * i + j], state[j])
      /* 2^128 = -2^32, and the carry is below 12. */
      const WORD folded = field_reduce(low, high), taken = carry << 32;
      result[i] = folded - taken - (folded < taken ? EPSILON : 0);
    }
  }
  for (int i = 0; i < 12; ++i) state[i] = result[i];
}

/* The parent of two nodes, whose 8 words are in `words`; the parent's 4 replace the first of them. */
DEVICE void merge_words(WORD* words, TABLE const WORD* table, int circulant) {
  WORD state[12];
  const int rate = circulant ? 4 : 0, rest = circulant ? 0 : 8;
  for (int i = 0; i < 8; ++i) state[rate + i] = words[i];
  for (int i = 0; i < 4; ++i) state[rest + i] = table[TABLE_CAPACITY + i];
  for (int round = 0; round < 7; ++round) {
    for (int i = 0; i < 12; i += SIDE_BY_SIDE) seventh_powers(state + i);
    linear_layer(state, table + TABLE_MATRIX, table + 12 * round, circulant);
    for (int i = 0; i < 12; i += SIDE_BY_SIDE) seventh_roots(state + i);
    linear_layer(state, table + TABLE_MATRIX, table + TABLE_SECOND + 12 * round, circulant);
  }
  for (int i = 0; i < 4; ++i) words[i] = field_canonical(state[rate + i]);
}
