// Two small networks that learn a + b mod p, trained with full batches in float64 on typed arrays: the two-layer network
// with square activation and the one-layer transformer of grokbook.models, with their gradients written out by hand.
// One function without anything outside it, so that its own text can be the program of a Web Worker.
"use strict";

window.GrokbookTrainer = window.GrokbookTrainer || function () {
  const Numbers = Float64Array, HEADS = 4;
  const zeros = (n) => new Numbers(n);

  // ------------------------------------------------------------------ products of matrices

  /** C[i, j] = sum over l of A[i ai + l al] B[j bj + l bl] for i < n, j < m, l < depth; a block of 2 x 4 at a time. */
  function product(A, ai, al, B, bj, bl, C, n, m, depth) {
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
        for (let r = 0, at = 0; r < n; r++) {
          for (let k = 0; k < m; k++, at++) hidden[at] = keep[k] * Math.max(0, hidden[at] + w["b_in.0"][k]);
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
        for (let i = 0; i < slope.length; i++) if (hidden[i] <= 0) slope[i] = 0;
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

  // ------------------------------------------------------------------ losses: of a row, and its slope

  const LOSSES = {
    /** Mean over the classes of (o - y)^2. */
    squared_error(o, at, p, label, slope) {
      let sum = 0;
      for (let c = 0; c < p; c++) {
        const off = o[at + c] - (c === label ? 1 : 0);
        sum += off * off;
        slope[at + c] = 2 * off / p;
      }
      return sum / p;
    },
    /** |P (o - y)|^2, where P takes out the mean of the classes. */
    centred_squared_error(o, at, p, label, slope) {
      let mean = -1, sum = 0;
      for (let c = 0; c < p; c++) mean += o[at + c];
      mean /= p;
      for (let c = 0; c < p; c++) {
        const off = o[at + c] - mean - (c === label ? 1 : 0);
        sum += off * off;
        slope[at + c] = 2 * off;
      }
      return sum;
    },
    cross_entropy(o, at, p, label, slope) {
      let most = -Infinity, sum = 0;
      for (let c = 0; c < p; c++) most = Math.max(most, o[at + c]);
      for (let c = 0; c < p; c++) sum += slope[at + c] = Math.exp(o[at + c] - most);
      for (let c = 0; c < p; c++) slope[at + c] = slope[at + c] / sum - (c === label ? 1 : 0);
      return Math.log(sum) + most - o[at + label];
    },
  };

  // ------------------------------------------------------------------ optimisers on one long row of weights

  const rate = (s, step) => s.learning_rate * (s.warmup ? Math.min(step / s.warmup, 1) : 1);

  /** AdamW: decay apart from the gradient (`coupled` false); Adam: decay as a part of the gradient. */
  const adam = (coupled) => (s, size) => {
    const mean = zeros(size), square = zeros(size);
    let left1 = 1, left2 = 1;
    return (w, g, step) => {
      const lr = rate(s, step), shrink = coupled ? 1 : 1 - lr * s.weight_decay, pull = coupled ? s.weight_decay : 0;
      left1 *= s.beta1;
      left2 *= s.beta2;
      const scale = lr / (1 - left1), root = Math.sqrt(1 - left2);
      for (let i = 0; i < size; i++) {
        const slope = g[i] + pull * w[i];
        mean[i] += (1 - s.beta1) * (slope - mean[i]);
        square[i] = s.beta2 * square[i] + (1 - s.beta2) * slope * slope;
        w[i] = w[i] * shrink - scale * mean[i] / (Math.sqrt(square[i]) / root + s.eps);
      }
    };
  };

  function sgd(s, size) {
    const speed = zeros(size);
    return (w, g, step) => {
      const lr = rate(s, step);
      for (let i = 0; i < size; i++) {
        speed[i] = s.beta1 * speed[i] + g[i] + s.weight_decay * w[i];
        w[i] -= lr * speed[i];
      }
    };
  }

  const OPTIMIZERS = { AdamW: adam(false), Adam: adam(true), Sgd: sgd };
  const USUAL = {
    "": { model: "quadratic", p: 23, width: 128, loss: "squared_error", optimizer: "Adam", learning_rate: 0.005,
          weight_decay: 0.00002, train_fraction: 0.4, split: "random", seed: 0, beta1: 0.9, eps: 1e-8 },
    AdamW: { beta2: 0.98, warmup: 10 }, Adam: { beta2: 0.999, warmup: 0 }, Sgd: { warmup: 0 },
  };
  /** Settings with the rest at the defaults of grokbook.training. */
  const complete = (s) => ({ ...USUAL[""], ...USUAL[s.optimizer || USUAL[""].optimizer], ...s });

  // ------------------------------------------------------------------ chance: the same numbers for the same seed

  function chance(seed) {
    let state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x85ebca6b) >>> 0;
    function uniform() {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    }
    const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
    return { uniform, normal };
  }

  /** The training cells a p + b: floor(fraction p^2) of them; symmetric: both orders of a pair or neither. */
  function split({ p, train_fraction, split: kind, seed }) {
    const random = chance(2 * seed + 1), orbits = [], chosen = [], quota = Math.floor(train_fraction * p * p);
    for (let a = 0; a < p; a++) for (let b = kind === "symmetric" ? a : 0; b < p; b++) {
      orbits.push(kind === "symmetric" && a !== b ? [a * p + b, b * p + a] : [a * p + b]);
    }
    for (let k = orbits.length - 1; k > 0; k--) {
      const other = Math.floor(random.uniform() * (k + 1));
      [orbits[k], orbits[other]] = [orbits[other], orbits[k]];
    }
    for (const orbit of orbits) {
      if (chosen.length + orbit.length > quota) break;
      chosen.push(...orbit);
    }
    return chosen.sort((a, b) => a - b);
  }

  // ------------------------------------------------------------------ a run

  /** A run of `settings`; `given` may hold weights by name (flat arrays) and the training cells. */
  function start(settings, given = {}) {
    const s = complete(settings), { p } = s, net = NETWORKS[s.model](s), random = chance(2 * s.seed);
    const names = Object.keys(net.shapes), sizes = names.map((name) => net.shapes[name].reduce((a, b) => a * b));
    const total = sizes.reduce((a, b) => a + b), flat = zeros(total), slopes = zeros(total), w = {}, g = {};
    let at = 0;
    names.forEach((name, k) => {
      w[name] = flat.subarray(at, at + sizes[k]);
      g[name] = slopes.subarray(at, at + sizes[k]);
      for (let i = 0; i < sizes[k]; i++) w[name][i] = given.weights ? given.weights[name][i] : net.draw(name, random);
      at += sizes[k];
    });
    const cells = given.cells || split(s), every = Array.from({ length: p * p }, (_, c) => c);
    const label = (cell) => (Math.floor(cell / p) + (cell % p)) % p, keep = zeros(net.units).fill(1);
    const lossOf = LOSSES[s.loss], train = net.pass(cells), move = OPTIMIZERS[s.optimizer](s, total), error = zeros(cells.length * p);
    const run = { s, w, net, keep, cells, every, label, step: 0, whole: net.pass(every) };
    const trained = new Uint8Array(p * p);
    for (const cell of cells) trained[cell] = 1;
    /** What a cell is: 2 trained, 1 its mirror image was trained, 0 neither. */
    run.kinds = every.map((c) => (trained[c] ? 2 : trained[(c % p) * p + Math.floor(c / p)]));
    run.advance = () => {
      const out = train.forward(w, keep);
      let loss = 0;
      for (let r = 0; r < cells.length; r++) loss += lossOf(out, r * p, p, label(cells[r]), error);
      for (let i = 0; i < error.length; i++) error[i] /= cells.length;
      train.backward(w, error, g);
      move(flat, slopes, run.step);
      run.step += 1;
      return loss / cells.length;
    };
    return run;
  }

  // ------------------------------------------------------------------ what is read off a run

  /** Accuracies and losses of the whole table, which cells are right, and |G_F| on the training cells. */
  function answers(run) {
    const { s, w, every, label, kinds } = run, { p } = s, out = run.whole.forward(w, run.keep), slope = zeros(p * p * p);
    const right = new Uint8Array(p * p), loss = [0, 0], count = [0, 0, 0], hits = [0, 0, 0];
    every.forEach((cell) => {
      let best = 0;
      for (let c = 1; c < p; c++) if (out[cell * p + c] > out[cell * p + best]) best = c;
      right[cell] = best === label(cell) ? 1 : 0;
      count[kinds[cell]] += 1;
      hits[kinds[cell]] += right[cell];
      loss[kinds[cell] === 2 ? 0 : 1] += LOSSES[s.loss](out, cell * p, p, label(cell), slope);
    });
    const share = (a, b) => (b ? a / b : null);
    return { right, train: share(hits[2], count[2]), mirrored: share(hits[1], count[1]), unseen: share(hits[0], count[0]),
             test: share(hits[0] + hits[1], count[0] + count[1]), hits, count, train_loss: share(loss[0], count[2]),
             test_loss: share(loss[1], count[0] + count[1]), feature_gradient: featureGradient(run, out, slope) };
  }

  /** |P (Y - F V) V^T| over the training cells, P takes out their mean; with cross entropy the softmax stands for F V. */
  function featureGradient({ s, w, net, cells, label }, out, slope) {
    const { p } = s, n = cells.length, rest = zeros(n * p), mean = zeros(p), wide = net.wide;
    cells.forEach((cell, r) => {
      for (let c = 0; c < p; c++) {
        const i = cell * p + c;
        rest[r * p + c] = s.loss === "cross_entropy" ? -slope[i] : (c === label(cell) ? 1 : 0) - out[i];
      }
    });
    columnSums(rest, n, p, mean);
    for (let i = 0; i < n * p; i++) rest[i] -= mean[i % p] / n;
    const seen = zeros(p * p), read = zeros(p * p);
    turnedTimes(rest, rest, seen, p, p, n);
    timesTurned(w.W_U, w.W_U, read, p, p, wide);
    return Math.sqrt(Math.max(0, seen.reduce((sum, value, i) => sum + value * read[i], 0)));
  }

  /** Mean distance of neighbours on the clock, (1/p) sum of |phi(i + 1) - phi(i)|, of a table (p, d). */
  function med(table, p, d) {
    let sum = 0;
    for (let i = 0; i < p; i++) {
      let far = 0;
      for (let k = 0; k < d; k++) far += (table[((i + 1) % p) * d + k] - table[i * d + k]) ** 2;
      sum += Math.sqrt(far);
    }
    return sum / p;
  }

  /** Cosine and sine sums over the clock of every column of (p, d): two arrays (top, d) for frequencies 1 to p / 2. */
  function waves(table, p, d) {
    const top = Math.floor(p / 2), even = zeros(top * d), odd = zeros(top * d);
    const cosine = Array.from({ length: p }, (_, i) => Math.cos(2 * Math.PI * i / p));
    const sine = Array.from({ length: p }, (_, i) => Math.sin(2 * Math.PI * i / p));
    for (let f = 1; f <= top; f++) for (let i = 0; i < p; i++) {
      const c = cosine[(f * i) % p], s = sine[(f * i) % p], to = (f - 1) * d;
      for (let k = 0, from = i * d; k < d; k++, from++) {
        even[to + k] += c * table[from];
        odd[to + k] += s * table[from];
      }
    }
    return { top, even, odd };
  }

  /** The power of each frequency 1 to p / 2 in a table (p, d), as shares. */
  function spectrum(table, p, d) {
    const { top, even, odd } = waves(table, p, d), power = Array(top).fill(0);
    for (let i = 0; i < top * d; i++) power[Math.floor(i / d)] += even[i] ** 2 + odd[i] ** 2;
    const all = power.reduce((a, b) => a + b);
    return power.map((value) => value / (all || 1));
  }

  /** Each neuron's strongest frequency, its share of the power, and the phases for both operands and the answer. */
  function clocks(run) {
    const { p } = run.s, n = run.net.units, found = run.net.roles(run.w, run.whole).map((table) => waves(table, p, n));
    return Array.from({ length: n }, (_, k) => {
      const power = (f) => found.slice(0, 2).reduce((s, { even, odd }) => s + even[f * n + k] ** 2 + odd[f * n + k] ** 2, 0);
      let best = 0, all = 0;
      for (let f = 0; f < found[0].top; f++) {
        all += power(f);
        if (power(f) > power(best)) best = f;
      }
      const phases = found.map(({ even, odd }) => Math.atan2(odd[best * n + k], even[best * n + k]));
      return [best + 1, power(best) / (all || 1), ...phases, power(best)];
    });
  }

  /** All that a page shows of a run now. */
  function look(run) {
    const { p } = run.s, table = run.net.table(run.w), told = answers(run);
    return { step: run.step, ...told, med: med(table, p, run.net.wide), spectrum: spectrum(table, p, run.net.wide) };
  }

  /** Train from given weights and cells, without dropped neurons: weights by name, the loss before each step, a look. */
  function trained(settings, weights, cells, steps, dropped = []) {
    const run = start(settings, { weights, cells });
    dropped.forEach((unit) => { run.keep[unit] = 0; });
    const losses = Array.from({ length: steps }, () => run.advance());
    const after = Object.fromEntries(Object.entries(run.w).map(([name, values]) => [name, Array.from(values)]));
    return { weights: after, losses, look: { ...look(run), right: Array.from(answers(run).right) }, clocks: clocks(run) };
  }

  /** Make some steps of a run, for a benchmark; its last loss. */
  function steps(settings, count) {
    const run = start(settings);
    let loss = 0;
    for (let k = 0; k < count; k++) loss = run.advance();
    return loss;
  }

  // ------------------------------------------------------------------ the loop of a worker

  /** Steps at which a curve has a point: all up to 20, then 45 in each power of ten. */
  const logged = (step) => step <= 20 || step % (2 * 10 ** (Math.floor(Math.log10(step)) - 1)) === 0;

  /** Answer the messages of a page: start, going, one, drop. A batch of steps lasts about 80 ms. */
  function serve(port) {
    let run = null, going = false, end = 0, gentle = true, events = [], curve = [], clock = 0, credit = 0;
    const point = () => {
      const now = look(run);
      if (logged(run.step) && (!curve.length || curve[curve.length - 1].step < run.step)) {
        curve.push({ ...now, right: undefined, spectrum: undefined });
      }
      return now;
    };
    const apply = () => events.filter((e) => e.step === run.step).forEach((e) => { run.keep[e.unit] = e.on ? 1 : 0; });
    const tell = () => {
      const now = point();
      port.postMessage({ now, curve, clocks: clocks(run), keep: Array.from(run.keep), kinds: run.kinds, events,
                         over: run.step >= end });
      curve = [];
    };
    function batch() {
      if (!going) return;
      const begun = performance.now();
      credit += gentle ? Math.min(0.3, (begun - clock) / 1000) * (15 + run.step / 6) : Infinity;
      clock = begun;
      while (credit >= 1 && run.step < end && performance.now() - begun < 80) {
        run.advance();
        credit -= 1;
        apply();
        if (logged(run.step)) point();
      }
      if (run.step >= end) going = false;
      credit = Math.min(credit, 15 + run.step / 6);
      tell();
      setTimeout(batch, gentle ? Math.max(0, 100 - (performance.now() - begun)) : 0);
    }
    port.onmessage = ({ data }) => {
      if (data.start) {
        run = start(data.start);
        [end, events, curve, credit, going] = [data.steps, data.events.slice(), [], 0, false];
        apply();
      }
      if (data.drop) {
        events.push({ step: run.step, ...data.drop });
        apply();
      }
      if (data.one && run.step < end) {
        run.advance();
        apply();
      }
      if ("gentle" in data) gentle = data.gentle;
      const was = going;
      if ("going" in data) going = data.going && run.step < end;
      if (!going) tell();
      else if (!was) { clock = performance.now(); batch(); }
    };
  }

  return { start, split, look, clocks, med, spectrum, trained, steps, serve, logged, NETWORKS, LOSSES, OPTIMIZERS, complete };
};
