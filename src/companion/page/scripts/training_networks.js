// Two small networks on typed arrays: the two-layer network with square activation and the one-layer transformer of
// grokbook.models, with their gradients written out by hand. Weights and their gradients are float64. What a pass computes for
// each of its cells is float32, four numbers at a time, where a browser runs WebAssembly, and float64 where it does not. One
// function without anything outside it, so that its own text can be a part of the program of a Web Worker.
"use strict";

window.GrokbookNetworks = window.GrokbookNetworks || function (vectors = true) {
  const HEADS = 4;
  const zeros = (n) => new Float64Array(n);

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

  const add = (to, from, scale = 1) => { for (let i = 0; i < from.length; i++) to[i] += scale * from[i]; };
  const addRow = (to, at, from, source, n) => { for (let i = 0; i < n; i++) to[at + i] += from[source + i]; };

  /** The sum of the rows of (n, m). */
  function columnSums(X, n, m, out) {
    out.fill(0);
    for (let r = 0; r < n; r++) addRow(out, 0, X, r * m, m);
  }

  /** X W^T, X W and X^T Y of row-major matrices: (n, depth)(m, depth)^T, (n, depth)(depth, m), (depth, n)^T(depth, m). */
  const timesTurned = (X, W, out, n, m, depth) => loops(X, depth, 1, W, depth, 1, out, n, m, depth);
  const times = (X, W, out, n, m, depth) => loops(X, depth, 1, W, 1, m, out, n, m, depth);
  const turnedTimes = (X, Y, out, n, m, depth) => loops(X, 1, n, Y, 1, m, out, n, m, depth);

  // ------------------------------------------------------------------ what a pass computes for each of its cells

  /** The functions of pass.c, which says what each is, on arrays of any kind. */
  const PLAIN = {
    product: (A, ai, al, B, C, n, m, depth) => loops(A, ai, al, B, 1, m, C, n, m, depth),
    squares(E, first, second, keep, sum, square, n, m) {
      for (let r = 0, at = 0; r < n; r++) for (let k = 0, a = first[r] * m, b = second[r] * m; k < m; k++, at++) {
        const value = (E[a + k] + E[b + k]) * keep[k];
        sum[at] = value;
        square[at] = value * value;
      }
    },
    scatter(E, first, second, sum, slope, n, m) {
      for (let r = 0, at = 0; r < n; r++) for (let k = 0, a = first[r] * m, b = second[r] * m; k < m; k++, at++) {
        const value = 2 * sum[at] * slope[at];
        E[a + k] += value;
        E[b + k] += value;
      }
    },
    rectify(X, bias, keep, n, m) {
      for (let r = 0, at = 0; r < n; r++) for (let k = 0; k < m; k++, at++) {
        const value = X[at] + bias[k];
        X[at] = value > 0 ? keep[k] * value : 0;
      }
    },
    gate(slope, X, count) { for (let i = 0; i < count; i++) if (!(X[i] > 0)) slope[i] = 0; },
  };

  /** pass.c, compiled; null where a browser has no such program, or may not run it. */
  const PROGRAM = `
    AGFzbQEAAAABJARgCH9/f39/f39/AGAHf39/f39/fwBgBX9/f39/AGADf39/AAIPAQNlbnYGbWVtb3J5AgABAwYFAAABAgMGBwF/AUGACAsHMAUHcHJvZHVj
    dAAAB3NxdWFyZXMAAQdzY2F0dGVyAAIHcmVjdGlmeQADBGdhdGUABAq3EQW1BQQUfwh7AX8FewJAIAVBAUgNACABQQJ0IQggAkECdCEJIAZBAnQhCiADQWBq
    IQsgBkF4aiEMIAVBfGohDUEAIQ4gBkEBSCEPQQQhEANAIA4iA0EEaiEOAkAgDw0AIAggBSAQIAUgEEgbIgJBfGpsIREgASACQQJ0IgJBeGpsIRIgASACQXxq
    bCETIAEgAkF0amwhFCAEIA0gAyAOIAVKGyICIAZsQQJ0aiEVIAQgAkEDaiAGbEECdGohFiAEIAJBAmogBmxBAnRqIRcgBCACQQFqIAZsQQJ0aiEYQQAhAkEI
    IRkDQCAMIAIgAkEIaiIaIAZKGyEbAkACQCAHQQFODQD9DAAAAAAAAAAAAAAAAAAAAAAiHCEdIBwhHiAcIR8gHCEgIBwhISAcISIgHCEjDAELIAsgBiAZIAYg
    GUgbQQJ0aiEDIAAhAiAHIST9DAAAAAAAAAAAAAAAAAAAAAAiHCEdIBwhHiAcIR8gHCEgIBwhISAcISIgHCEjA0AgAiATav0JAgAiJSADQRBq/QACACIm/eYB
    IBz95AEhHCACIBJq/QkCACInICb95gEgHv3kASEeIAIgFGr9CQIAIiggJv3mASAg/eQBISAgAiARav0JAgAiKSAm/eYBICL95AEhIiACIAlqIQIgJSAD/QAC
    ACIm/eYBIB395AEhHSAnICb95gEgH/3kASEfICggJv3mASAh/eQBISEgKSAm/eYBICP95AEhIyADIApqIQMgJEF/aiIkDQALCyAVIBtBAnQiAmoiAyAi/QsC
    ECADICP9CwIAIBggAmoiAyAg/QsCECADICH9CwIAIBcgAmoiAyAe/QsCECADIB/9CwIAIBYgAmoiAiAc/QsCECACIB39CwIAIBlBCGohGSAaIQIgGiAGSA0A
    CwsgEEEEaiEQIA4gBUgNAAsLC4UEBBB/AXsBfwF9AkAgBkEBSA0AIAdBAnQhCCAHQXxxIQkgB0F8aiIKQQJ2QQFqIgtB/v///wdxIQwgC0EBcSENQQAhDiAH
    QQRJIQ8DQAJAIAdBAUgNACAAIAIgDkECdCILaigCACAHbEECdGohECAAIAEgC2ooAgAgB2xBAnRqIRFBACESAkAgDw0AQQAhEgJAIApBBEkNAEEAIQsgDCET
    QQAhEgNAIAQgC2oiFCARIAtqIhX9AAIAIBAgC2oiFv0AAgD95AEgAyALaiIX/QACAP3mASIY/QsCACAFIAtqIhkgGCAY/eYB/QsCACAUQRBqIBVBEGr9AAIA
    IBZBEGr9AAIA/eQBIBdBEGr9AAIA/eYBIhj9CwIAIBlBEGogGCAY/eYB/QsCACALQSBqIQsgEkEIaiESIBNBfmoiEw0ACwsCQCANRQ0AIAQgEkECdCILaiAR
    IAtq/QACACAQIAtq/QACAP3kASADIAtq/QACAP3mASIY/QsCACAFIAtqIBggGP3mAf0LAgALIAkhEiAJIAdGDQELIBJBAnQhCyAHIBJrIRIDQCAEIAtqIBEg
    C2oqAgAgECALaioCAJIgAyALaioCAJQiGjgCACAFIAtqIBogGpQ4AgAgC0EEaiELIBJBf2oiEg0ACwsgBSAIaiEFIAQgCGohBCAOQQFqIg4gBkcNAAsLC9MD
    Aw5/AXsBfQJAIAVBAUgNACAGQQJ0IQcgBkF8cSEIQQAhCSAGQQFIIQogBkEESSELIAQhDCADIQ0DQAJAIAoNACAAIAIgCUECdCIOaigCACIPIAZsQQJ0aiEQ
    IAAgASAOaigCACIOIAZsQQJ0aiERQQAhEgJAIAsNACAAIA9BAnRBBGogBmxqIg8gEUsgACAOQQJ0QQRqIAZsaiIOIBBLcQ0AIBEgAyAJIAZsIAZqQQJ0IhNq
    IhRJIA4gDUtxDQAgESAEIBNqIhNJIA4gDEtxDQAgECAUSSAPIA1LcQ0AIBAgE0kgDyAMS3ENAEEAIQ4gCCESA0AgESAOaiIPIA/9AAIAIA0gDmr9AAIAIhUg
    Ff3kASAMIA5q/QACAP3mASIV/eQB/QsCACAQIA5qIg8gFSAP/QACAP3kAf0LAgAgDkEQaiEOIBJBfGoiEg0ACyAIIRIgCCAGRg0BCyASQQJ0IQ4gBiASayES
    A0AgESAOaiIPIA8qAgAgDSAOaioCACIWIBaSIAwgDmoqAgCUIhaSOAIAIBAgDmoiDyAWIA8qAgCSOAIAIA5BBGohDiASQX9qIhINAAsLIAwgB2ohDCANIAdq
    IQ0gCUEBaiIJIAVHDQALCwu8AgQGfwJ9An8BfQJAIANBAUgNACAEQQJ0IQUgBEF+cSEGIARBAXEhB0EAIQgDQAJAIARBAUgNAEEAIQkCQCAEQQFGDQBBACEK
    QQAhCQNAQwAAAAAhC0MAAAAAIQwCQCAAIApqIg0qAgAgASAKaiIOKgIAkiIPQwAAAABeRQ0AIA8gAiAKaioCAJQhDAsgDSAMOAIAAkAgDUEEaiINKgIAIA5B
    BGoqAgCSIgxDAAAAAF5FDQAgDCACIApqQQRqKgIAlCELCyANIAs4AgAgCkEIaiEKIAYgCUECaiIJRw0ACwsgB0UNAEMAAAAAIQsCQCAAIAlBAnQiCmoiDSoC
    ACABIApqKgIAkiIMQwAAAABeRQ0AIAwgAiAKaioCAJQhCwsgDSALOAIACyAAIAVqIQAgCEEBaiIIIANHDQALCwvjAQIEfwJ9AkAgAkEBSA0AIAJBAXEhA0EA
    IQQCQCACQQFGDQAgAkF+cSEFQQAhBCAAIQIgASEGA0BDAAAAACEHQwAAAAAhCAJAIAYqAgBDAAAAAF5FDQAgAioCACEICyACIAg4AgACQCAGQQRqKgIAQwAA
    AABeRQ0AIAJBBGoqAgAhBwsgAkEEaiAHOAIAIAJBCGohAiAGQQhqIQYgBSAEQQJqIgRHDQALCyADRQ0AQwAAAAAhBwJAIAEgBEECdCICaioCAEMAAAAAXkUN
    ACAAIAJqKgIAIQcLIAAgAmogBzgCAAsL`;
  const program = (() => {
    try {
      return vectors ? new WebAssembly.Module(Uint8Array.from(atob(PROGRAM), (c) => c.charCodeAt(0))) : null;
    } catch (error) {
      return null;
    }
  })();

  /** The functions of the program on arrays in `memory`; it multiplies blocks of 4 x 8, so less is left to the loops. */
  function fast(memory) {
    const { exports } = new WebAssembly.Instance(program, { env: { memory } }), made = {};
    const places = (given) => given.map((one) => (ArrayBuffer.isView(one) ? one.byteOffset : one));
    for (const name of Object.keys(PLAIN)) made[name] = (...given) => exports[name](...places(given));
    const blocks = made.product;
    made.product = (A, ai, al, B, C, n, m, depth) => (n < 4 || m < 8 ? PLAIN.product : blocks)(A, ai, al, B, C, n, m, depth);
    return made;
  }

  /**
   * Arrays by name, each of a length or of whole numbers that are given, in one memory; the functions on them; and the three
   * products, in which a matrix of weights, at most `most`, need not be one of the arrays.
   */
  function workspace(lengths, most) {
    const all = { ...lengths, other: most }, sizes = Object.values(all).map((one) => one.length || one);
    const bytes = program ? 4 : 8, total = bytes * sizes.reduce((a, b) => a + b);
    const memory = program && new WebAssembly.Memory({ initial: Math.ceil(total / 65536) });
    const buffer = program ? memory.buffer : new ArrayBuffer(total), Numbers = program ? Float32Array : Float64Array;
    const on = program ? fast(memory) : PLAIN, arrays = {};
    let at = 0;
    Object.entries(all).forEach(([name, one], k) => {
      arrays[name] = new (one.length ? Int32Array : Numbers)(buffer, at, sizes[k]);
      if (one.length) arrays[name].set(one);
      at += bytes * sizes[k];
    });
    const { other } = arrays;
    return {
      ...arrays, ...on,
      timesTurned(X, W, out, n, m, depth) {
        for (let j = 0; j < m; j++) for (let l = 0, from = j * depth; l < depth; l++) other[l * m + j] = W[from + l];
        on.product(X, depth, 1, other, out, n, m, depth);
      },
      times(X, W, out, n, m, depth) {
        other.set(W);
        on.product(X, depth, 1, other, out, n, m, depth);
      },
      turnedTimes(X, Y, out, n, m, depth) {
        on.product(X, 1, n, Y, other, n, m, depth);
        out.set(other.subarray(0, n * m));
      },
    };
  }

  // ------------------------------------------------------------------ the two-layer network, o = W_U (W_E[a] + W_E[p + b])^2

  function quadratic({ p, width: K }) {
    const shapes = { W_E: [2 * p, K], W_U: [p, K] };
    const bounds = { W_E: 1 / Math.sqrt(p), W_U: 1 / Math.sqrt(K) };
    const draw = (name, random) => bounds[name] * (2 * random.uniform() - 1);

    /** Arrays for a list of cells a p + b; forward gives outputs (n, p), backward writes the gradients of `error`. */
    function pass(cells) {
      const n = cells.length, first = cells.map((cell) => Math.floor(cell / p)), second = cells.map((cell) => p + (cell % p));
      const lengths = { first, second, rows: 2 * p * K, units: K, sum: n * K, square: n * K, slope: n * K, out: n * p, error: n * p };
      const on = workspace(lengths, p * K), { rows, units, sum, square, slope, out, error } = on;
      function forward(w, keep) {
        rows.set(w.W_E);
        units.set(keep);
        on.squares(rows, on.first, on.second, units, sum, square, n, K);
        on.timesTurned(square, w.W_U, out, n, p, K);
        return out;
      }
      function backward(w, g) {
        on.turnedTimes(error, square, g.W_U, p, K, n);
        on.times(error, w.W_U, slope, n, K, p);
        rows.fill(0);
        on.scatter(rows, on.first, on.second, sum, slope, n, K);
        g.W_E.set(rows);
      }
      return { forward, backward, error };
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
      const n = cells.length, wide = n * d, high = n * m, square = zeros(d * d), weight = zeros(n * h * 2);
      const lengths = { z: wide, x: wide, y: wide, dz: wide, dx: wide, dy: wide, hidden: high, slope: high, out: n * p, error: n * p,
                        bias: m, units: m };
      const on = workspace(lengths, Math.max(m, p) * d), { z, x, y, dz, dx, dy, hidden, slope, out, error, bias, units } = on;
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
        on.timesTurned(z, w["W_O.0"], x, n, d, d);
        for (let r = 0; r < n; r++) addRow(x, r * d, now.T[2], 0, d);
        on.timesTurned(x, w["W_in.0"], hidden, n, m, d);
        bias.set(w["b_in.0"]);
        units.set(keep);
        on.rectify(hidden, bias, units, n, m);
        on.timesTurned(hidden, w["W_out.0"], y, n, d, m);
        for (let r = 0; r < n; r++) addRow(y, r * d, w["b_out.0"], 0, d);
        add(y, x);
        on.timesTurned(y, w.W_U, out, n, p, d);
        return out;
      }

      function backward(w, g) {
        on.turnedTimes(error, y, g.W_U, p, d, n);
        on.times(error, w.W_U, dy, n, d, p);
        on.turnedTimes(dy, hidden, g["W_out.0"], d, m, n);
        columnSums(dy, n, d, g["b_out.0"]);
        on.times(dy, w["W_out.0"], slope, n, m, d);
        on.gate(slope, hidden, n * m);
        on.turnedTimes(slope, x, g["W_in.0"], m, d, n);
        columnSums(slope, n, m, g["b_in.0"]);
        on.times(slope, w["W_in.0"], dx, n, d, m);
        add(dx, dy);
        on.turnedTimes(dx, z, g["W_O.0"], d, d, n);
        on.times(dx, w["W_O.0"], dz, n, d, d);
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
      return { forward, backward, hidden, error };
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

  return { NETWORKS, program, workspace, zeros, timesTurned, turnedTimes, columnSums };
};
