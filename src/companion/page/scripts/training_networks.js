// Two small networks in float64 on typed arrays: the two-layer network with square activation and the one-layer
// transformer of grokbook.models, with their gradients written out by hand. One function without anything outside it, so
// that its own text can be a part of the program of a Web Worker.
"use strict";

window.GrokbookNetworks = window.GrokbookNetworks || function (vectors = true) {
  const Numbers = Float64Array, HEADS = 4;
  const zeros = (n) => new Numbers(n);

  // ------------------------------------------------------------------ products of matrices

  /** C[i, j] = sum over l of A[i ai + l al] B[j bj + l bl] for i < n, j < m, l < depth; a block of 2 x 4 at a time. */
  function loops(A, ai, al, B, bj, bl, C, n, m, depth) {
    for (let i = 0; i < n; i += 2) {
      const two = i + 1 < n, first = i * ai, second = two ? first + ai : first;
      let j = 0;
      for (; j + 3 < m; j += 4) {
        let a = first, b = second, r0 = j * bj, r1 = r0 + bj, r2 = r1 + bj, r3 = r2 + bj;
        let s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
        for (let l = 0; l < depth; l++) {
          const x = A[a], y = A[b], b0 = B[r0], b1 = B[r1], b2 = B[r2], b3 = B[r3];
          s0 += x * b0; s1 += x * b1; s2 += x * b2; s3 += x * b3;
          t0 += y * b0; t1 += y * b1; t2 += y * b2; t3 += y * b3;
          a += al; b += al; r0 += bl; r1 += bl; r2 += bl; r3 += bl;
        }
        const c = i * m + j;
        C[c] = s0; C[c + 1] = s1; C[c + 2] = s2; C[c + 3] = s3;
        if (two) { C[c + m] = t0; C[c + m + 1] = t1; C[c + m + 2] = t2; C[c + m + 3] = t3; }
      }
      for (; j < m; j++) {
        let a = first, b = second, r = j * bj, s = 0, t = 0;
        for (let l = 0; l < depth; l++) { s += A[a] * B[r]; t += A[b] * B[r]; a += al; b += al; r += bl; }
        C[i * m + j] = s;
        if (two) C[(i + 1) * m + j] = t;
      }
    }
  }

  /** product.wat, compiled: where a browser has no such program, or may not run it, the loops do the same. */
  const PROGRAM = `
    AGFzbQEAAAABDAFgCH9/f39/f39/AAMCAQAFAwEAAQcUAgZtZW1vcnkCAAdwcm9kdWN0AAAKywQByAQDB38LewN/IAFBA3QhASACQQN0IQIgBkEDdCEO
    A0BBACEJA0AgACELIAsgAWohGiAaIAFqIRsgGyABaiEcIAMgCUEDdGohDP0MAAAAAAAAAAAAAAAAAAAAACES/QwAAAAAAAAAAAAAAAAAAAAAIRP9DAAA
    AAAAAAAAAAAAAAAAAAAhFP0MAAAAAAAAAAAAAAAAAAAAACEV/QwAAAAAAAAAAAAAAAAAAAAAIRb9DAAAAAAAAAAAAAAAAAAAAAAhF/0MAAAAAAAAAAAA
    AAAAAAAAACEY/QwAAAAAAAAAAAAAAAAAAAAAIRkgByEKA0AgDP0ABAAhECAM/QAEECERIAv9CgMAIQ8gEiAPIBD98gH98AEhEiAWIA8gEf3yAf3wASEW
    IBr9CgMAIQ8gEyAPIBD98gH98AEhEyAXIA8gEf3yAf3wASEXIBv9CgMAIQ8gFCAPIBD98gH98AEhFCAYIA8gEf3yAf3wASEYIBz9CgMAIQ8gFSAPIBD9
    8gH98AEhFSAZIA8gEf3yAf3wASEZIAsgAmohCyAaIAJqIRogGyACaiEbIBwgAmohHCAMIA5qIQwgCkEBayIKDQALIAQgCUEDdGohDSANIBL9CwQAIA0g
    Fv0LBBAgDSAOaiENIA0gE/0LBAAgDSAX/QsEECANIA5qIQ0gDSAU/QsEACANIBj9CwQQIA0gDmohDSANIBX9CwQAIA0gGf0LBBAgCUEEaiIJIAZJDQAL
    IAAgAUECdGohACAEIA5BAnRqIQQgCEEEaiIIIAVJDQALCw==`;
  const program = (() => {
    try {
      const bytes = Uint8Array.from(atob(PROGRAM), (c) => c.charCodeAt(0));
      return vectors ? new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports : null;
    } catch (error) {
      return null;
    }
  })();
  let numbers = new Numbers(0);

  /** The same sums, bit for bit, two at a time: A as it is, then B row by row, then C, rows in fours, rows of fours. */
  function product(A, ai, al, B, bj, bl, C, n, m, depth) {
    if (!program || n * m * depth < 4096) return loops(A, ai, al, B, bj, bl, C, n, m, depth);
    const M = (m + 3) & ~3, N = (n + 3) & ~3, b = (A.length + 4 * ai + 1) & ~1, c = b + depth * M, all = 8 * (c + N * M);
    if (program.memory.buffer.byteLength < all) program.memory.grow(Math.ceil(all / 65536) - program.memory.buffer.byteLength / 65536);
    if (numbers.buffer !== program.memory.buffer) numbers = new Numbers(program.memory.buffer);
    numbers.set(A);
    if (bj === 1 && m === M) numbers.set(B, b);
    else for (let l = 0; l < depth; l++) for (let j = 0; j < m; j++) numbers[b + l * M + j] = B[j * bj + l * bl];
    program.product(0, ai, al, 8 * b, 8 * c, N, M, depth);
    if (m === M) C.set(numbers.subarray(c, c + n * m));
    else for (let i = 0; i < n; i++) C.set(numbers.subarray(c + i * M, c + i * M + m), i * m);
  }

  /** X W^T, X W and X^T Y of row-major matrices: (n, depth)(m, depth)^T, (n, depth)(depth, m), (depth, n)^T(depth, m). */
  const timesTurned = (X, W, out, n, m, depth) => product(X, depth, 1, W, depth, 1, out, n, m, depth);
  const times = (X, W, out, n, m, depth) => product(X, depth, 1, W, 1, m, out, n, m, depth);
  const turnedTimes = (X, Y, out, n, m, depth) => product(X, 1, n, Y, 1, m, out, n, m, depth);
  const add = (to, from, scale = 1) => { for (let i = 0; i < from.length; i++) to[i] += scale * from[i]; };
  const addRow = (to, at, from, source, n) => { for (let i = 0; i < n; i++) to[at + i] += from[source + i]; };

  /** The sum of the rows of (n, m). */
  function columnSums(X, n, m, out) {
    out.fill(0);
    for (let r = 0; r < n; r++) addRow(out, 0, X, r * m, m);
  }

  // ------------------------------------------------------------------ the two-layer network, o = W_U (W_E[a] + W_E[p + b])^2

  function quadratic({ p, width: K }) {
    const shapes = { W_E: [2 * p, K], W_U: [p, K] };
    const bounds = { W_E: 1 / Math.sqrt(p), W_U: 1 / Math.sqrt(K) };
    const draw = (name, random) => bounds[name] * (2 * random.uniform() - 1);

    /** Buffers for a list of cells a p + b; forward gives outputs (n, p), backward adds nothing: it writes gradients. */
    function pass(cells) {
      const n = cells.length, sum = zeros(n * K), square = zeros(n * K), slope = zeros(n * K), out = zeros(n * p);
      function forward(w, keep) {
        for (let r = 0; r < n; r++) {
          const a = Math.floor(cells[r] / p) * K, b = (p + (cells[r] % p)) * K;
          for (let k = 0, at = r * K; k < K; k++, at++) {
            const value = (w.W_E[a + k] + w.W_E[b + k]) * keep[k];
            sum[at] = value;
            square[at] = value * value;
          }
        }
        timesTurned(square, w.W_U, out, n, p, K);
        return out;
      }
      function backward(w, d, g) {
        turnedTimes(d, square, g.W_U, p, K, n);
        times(d, w.W_U, slope, n, K, p);
        g.W_E.fill(0);
        for (let r = 0; r < n; r++) {
          const a = Math.floor(cells[r] / p) * K, b = (p + (cells[r] % p)) * K;
          for (let k = 0, at = r * K; k < K; k++, at++) {
            const value = 2 * sum[at] * slope[at];
            g.W_E[a + k] += value;
            g.W_E[b + k] += value;
          }
        }
      }
      return { forward, backward };
    }

    /** What neuron k adds for a first operand, a second one, and an answer: (p, K) each. */
    const roles = (w) => [w.W_E.subarray(0, p * K), w.W_E.subarray(p * K), w.W_U];
    return { shapes, draw, pass, roles, units: K, wide: K, table: (w) => w.W_E.subarray(0, p * K) };
  }

  // ------------------------------------------------------------------ the one-layer transformer, in the exact rewriting

  function transformer({ p, width: d }) {
    const m = 4 * d, h = HEADS, dh = d / h;
    const shapes = { W_E: [p + 1, d], W_pos: [3, d], "W_Q.0": [d, d], "W_K.0": [d, d], "W_V.0": [d, d], "W_O.0": [d, d],
                     "W_in.0": [m, d], "b_in.0": [m], "W_out.0": [d, m], "b_out.0": [d], W_U: [p, d] };
    const draw = (name, random) => (name.startsWith("b_") ? 0 : random.normal() / Math.sqrt(d));

    /** Everything that depends on a token alone: rows of the tables, the probe of each head, scores and values. */
    function tokens(w) {
      const T = [0, 1].map((t) => {
        const table = w.W_E.slice(0, p * d);
        for (let i = 0; i < p; i++) addRow(table, i * d, w.W_pos, t * d, d);
        return table;
      });
      T.push(w.W_E.slice(p * d));
      add(T[2], w.W_pos.subarray(2 * d));
      const query = zeros(d), probe = zeros(h * d);
      timesTurned(T[2], w["W_Q.0"], query, 1, d, d);
      for (let r = 0; r < d; r++) {
        query[r] /= Math.sqrt(dh);
        const at = Math.floor(r / dh) * d;
        for (let c = 0; c < d; c++) probe[at + c] += query[r] * w["W_K.0"][r * d + c];
      }
      const rows = [p, p, 1], score = rows.map((n) => zeros(n * h)), value = rows.map((n) => zeros(n * d));
      rows.forEach((n, t) => {
        timesTurned(T[t], probe, score[t], n, h, d);
        timesTurned(T[t], w["W_V.0"], value[t], n, d, d);
      });
      return { T, query, probe, score, value, rows };
    }

    function pass(cells) {
      const n = cells.length, [z, x, y, dz, dx, dy] = [1, 2, 3, 4, 5, 6].map(() => zeros(n * d));
      const hidden = zeros(n * m), slope = zeros(n * m), weight = zeros(n * h * 2), out = zeros(n * p);
      const square = zeros(d * d);
      let now = null;

      function attend() {
        const [s0, s1, s2] = now.score, [v0, v1, v2] = now.value;
        for (let r = 0; r < n; r++) {
          const i = Math.floor(cells[r] / p), j = cells[r] % p;
          for (let c = 0; c < h; c++) {
            const a = s0[i * h + c], b = s1[j * h + c], most = Math.max(a, b, s2[c]);
            const e0 = Math.exp(a - most), e1 = Math.exp(b - most), all = e0 + e1 + Math.exp(s2[c] - most);
            const a0 = e0 / all, a1 = e1 / all, to = (r * h + c) * 2;
            weight[to] = a0;
            weight[to + 1] = a1;
            for (let q = c * dh; q < (c + 1) * dh; q++) {
              z[r * d + q] = v2[q] + a0 * (v0[i * d + q] - v2[q]) + a1 * (v1[j * d + q] - v2[q]);
            }
          }
        }
      }

      function forward(w, keep) {
        now = tokens(w);
        attend();
        timesTurned(z, w["W_O.0"], x, n, d, d);
        for (let r = 0; r < n; r++) addRow(x, r * d, now.T[2], 0, d);
        timesTurned(x, w["W_in.0"], hidden, n, m, d);
        const bias = w["b_in.0"];
        for (let r = 0, at = 0; r < n; r++) for (let k = 0; k < m; k++, at++) {
          const value = hidden[at] + bias[k];
          hidden[at] = value > 0 ? keep[k] * value : 0;
        }
        timesTurned(hidden, w["W_out.0"], y, n, d, m);
        for (let r = 0; r < n; r++) addRow(y, r * d, w["b_out.0"], 0, d);
        add(y, x);
        timesTurned(y, w.W_U, out, n, p, d);
        return out;
      }

      function backward(w, error, g) {
        turnedTimes(error, y, g.W_U, p, d, n);
        times(error, w.W_U, dy, n, d, p);
        turnedTimes(dy, hidden, g["W_out.0"], d, m, n);
        columnSums(dy, n, d, g["b_out.0"]);
        times(dy, w["W_out.0"], slope, n, m, d);
        for (let i = 0; i < slope.length; i++) slope[i] *= +(hidden[i] > 0);
        turnedTimes(slope, x, g["W_in.0"], m, d, n);
        columnSums(slope, n, m, g["b_in.0"]);
        times(slope, w["W_in.0"], dx, n, d, m);
        add(dx, dy);
        turnedTimes(dx, z, g["W_O.0"], d, d, n);
        times(dx, w["W_O.0"], dz, n, d, d);
        const cls = zeros(d);
        columnSums(dx, n, d, cls);
        toTokens(w, g, cls);
      }

      /** From the gradient of z to that of scores and values of the tokens. */
      function toScores(ds, dv) {
        const [v0, v1, v2] = now.value, [d0, d1, d2] = dv, [e0, e1, e2] = ds;
        for (let r = 0; r < n; r++) {
          const i = Math.floor(cells[r] / p), j = cells[r] % p;
          for (let c = 0; c < h; c++) {
            const a0 = weight[(r * h + c) * 2], a1 = weight[(r * h + c) * 2 + 1], a2 = 1 - a0 - a1;
            let g0 = 0, g1 = 0, g2 = 0;
            for (let q = c * dh; q < (c + 1) * dh; q++) {
              const slope = dz[r * d + q];
              g0 += slope * v0[i * d + q];
              g1 += slope * v1[j * d + q];
              g2 += slope * v2[q];
              d0[i * d + q] += a0 * slope;
              d1[j * d + q] += a1 * slope;
              d2[q] += a2 * slope;
            }
            const mean = a0 * g0 + a1 * g1 + a2 * g2;
            e0[i * h + c] += a0 * (g0 - mean);
            e1[j * h + c] += a1 * (g1 - mean);
            e2[c] += a2 * (g2 - mean);
          }
        }
      }

      /** The gradient of tables, positions, queries, keys and values; `cls` is that of the last row so far. */
      function toTokens(w, g, cls) {
        const { T, query, probe, rows } = now, dT = rows.map((size) => zeros(size * d));
        const dv = rows.map((size) => zeros(size * d)), ds = rows.map((size) => zeros(size * h));
        toScores(ds, dv);
        const dprobe = zeros(h * d), part = zeros(h * d);
        g["W_V.0"].fill(0);
        rows.forEach((size, t) => {
          const back = zeros(size * d);
          times(dv[t], w["W_V.0"], dT[t], size, d, d);
          times(ds[t], probe, back, size, d, h);
          add(dT[t], back);
          turnedTimes(dv[t], T[t], square, d, d, size);
          add(g["W_V.0"], square);
          turnedTimes(ds[t], T[t], part, h, d, size);
          add(dprobe, part);
        });
        const dq = zeros(d);
        for (let r = 0; r < d; r++) {
          const head = Math.floor(r / dh) * d;
          for (let c = 0; c < d; c++) {
            dq[r] += dprobe[head + c] * w["W_K.0"][r * d + c] / Math.sqrt(dh);
            g["W_K.0"][r * d + c] = query[r] * dprobe[head + c];
          }
        }
        add(cls, dT[2]);
        for (let r = 0; r < d; r++) for (let c = 0; c < d; c++) {
          g["W_Q.0"][r * d + c] = dq[r] * T[2][c];
          cls[c] += dq[r] * w["W_Q.0"][r * d + c];
        }
        g.W_E.set(cls, p * d);
        g.W_pos.set(cls, 2 * d);
        for (let i = 0; i < p * d; i++) g.W_E[i] = dT[0][i] + dT[1][i];
        [0, 1].forEach((t) => columnSums(dT[t], p, d, g.W_pos.subarray(t * d, (t + 1) * d)));
      }
      return { forward, backward, hidden };
    }

    /** Mean activation of each hidden unit for a first operand and for a second, and what it adds to an answer. */
    function roles(w, whole) {
      const first = zeros(p * m), second = zeros(p * m), answer = zeros(p * m);
      for (let cell = 0; cell < p * p; cell++) {
        addRow(first, Math.floor(cell / p) * m, whole.hidden, cell * m, m);
        addRow(second, (cell % p) * m, whole.hidden, cell * m, m);
      }
      times(w.W_U, w["W_out.0"], answer, p, m, d);
      return [first, second, answer];
    }
    return { shapes, draw, pass, roles, units: m, wide: d, table: (w) => w.W_E.subarray(0, p * d) };
  }

  const NETWORKS = { quadratic, transformer };

  return { NETWORKS, program, zeros, times, timesTurned, turnedTimes, columnSums };
};
