// Networks that learn a + b mod p with full batches: losses, optimisers, a run, what is read off it, and the loop of a worker.
// One function of what training_networks.js gives, so that its own text can be the program of a Web Worker.
// needs training_networks
"use strict";

window.GrokbookTrainer = window.GrokbookTrainer || function ({ NETWORKS, zeros, timesTurned, turnedTimes, columnSums }) {
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

  /** The layer of a parameter, whose decay an intervention can switch off. */
  const layer = (name) => (name === "W_U" ? "output" : name === "W_E" || name === "W_pos" ? "embedding" : "hidden");

  /** AdamW: decay apart from the gradient (`coupled` false); Adam: decay as a part of the gradient. */
  const adam = (coupled) => (s, size, decay) => {
    const mean = zeros(size), square = zeros(size);
    let left1 = 1, left2 = 1;
    return (w, g, step) => {
      const lr = rate(s, step), shrunk = coupled ? 0 : lr, pull = coupled ? 1 : 0;
      left1 *= s.beta1;
      left2 *= s.beta2;
      const scale = lr / (1 - left1), root = Math.sqrt(1 - left2);
      for (let i = 0; i < size; i++) {
        const slope = g[i] + pull * decay[i] * w[i];
        mean[i] += (1 - s.beta1) * (slope - mean[i]);
        square[i] = s.beta2 * square[i] + (1 - s.beta2) * slope * slope;
        w[i] = w[i] * (1 - shrunk * decay[i]) - scale * mean[i] / (Math.sqrt(square[i]) / root + s.eps);
      }
    };
  };

  function sgd(s, size, decay) {
    const speed = zeros(size);
    return (w, g, step) => {
      const lr = rate(s, step);
      for (let i = 0; i < size; i++) {
        speed[i] = s.beta1 * speed[i] + g[i] + decay[i] * w[i];
        w[i] -= lr * speed[i];
      }
    };
  }

  const OPTIMIZERS = { AdamW: adam(false), Adam: adam(true), Sgd: sgd };
  /** No intervention. */
  const NONE = { freeze: "never", hold: "never", temperature: 1, decay_embedding: 1, decay_hidden: 1, decay_output: 1, given: "nothing" };
  const USUAL = {
    "": { model: "quadratic", p: 23, width: 128, loss: "squared_error", optimizer: "Adam", learning_rate: 0.005,
          weight_decay: 0.00002, train_fraction: 0.4, split: "random", seed: 0, beta1: 0.9, eps: 1e-8,
          ...NONE, steps: 3000 },
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

  // ------------------------------------------------------------------ interventions

  const squares = (row) => row.reduce((sum, value) => sum + value * value, 0);

  /**
   * What is done after each update: the embedding put back, the norm of all weights rescaled to what it was. Each begins
   * at the start or once the training set is fitted; a frozen embedding is not rescaled, the other weights are.
   */
  function intervened(run, flat) {
    const { s, w } = run, began = (when) => when === "start" || (when === "fitted" && run.fitted !== null);
    let table = null, radius = null;
    return (update) => {
      if (!table && began(s.freeze)) table = w.W_E.slice();
      if (radius === null && began(s.hold)) radius = squares(flat);
      update();
      if (table) w.W_E.set(table);
      if (radius === null) return;
      const fixed = table ? squares(table) : 0, scale = Math.sqrt((radius - fixed) / (squares(flat) - fixed));
      for (let i = 0; i < flat.length; i++) flat[i] *= scale;
      if (table) w.W_E.set(table);
    };
  }

  /** The outputs over the temperature, in place. */
  function tempered(out, s) {
    if (s.temperature !== 1) for (let i = 0; i < out.length; i++) out[i] /= s.temperature;
    return out;
  }

  // ------------------------------------------------------------------ a run

  /** What is added to the seed of a network that is given a part of another: its own draw. */
  const OTHER = 500000;

  /** The rows 0 to p - 1 of a table (n p, d) in another order, the same in each range of p rows; further rows stay. */
  function shuffled(table, p, d, seed) {
    const random = chance(2 * (seed + OTHER) + 1), order = Array.from({ length: p }, (_, i) => i), found = table.slice();
    for (let k = p - 1; k > 0; k--) {
      const other = Math.floor(random.uniform() * (k + 1));
      [order[k], order[other]] = [order[other], order[k]];
    }
    for (let first = 0; first + p <= table.length / d; first += p) {
      order.forEach((row, i) => found.set(table.subarray((first + row) * d, (first + row + 1) * d), (first + i) * d));
    }
    return found;
  }

  /**
   * The first layer that a run is given: that of a donor, the same run without anything done to it, half way from knowing its
   * pairs by heart to knowing the rule ("half"), or there ("finished", "shuffled"); where it does not get there, of its last step.
   */
  function handed(s) {
    const donor = start({ ...s, ...NONE }), curve = [look(donor)], tables = [donor.w.W_E.slice()];
    let rule = null;
    while (donor.step < s.steps && rule === null) {
      donor.advance();
      if (!logged(donor.step)) continue;
      curve.push(look(donor));
      tables.push(donor.w.W_E.slice());
      rule = reached(curve, "test");
    }
    const fit = reached(curve, "train") || 0, end = rule === null ? donor.step : rule, stop = s.given === "half" ? (fit + end) / 2 : end;
    const table = tables[curve.findLastIndex((point) => point.step <= stop)];
    return s.given === "shuffled" ? shuffled(table, s.p, donor.net.wide, s.seed) : table;
  }

  /** A run of `settings`; `given` may hold weights by name (flat arrays) and the training cells. */
  function start(settings, given = {}) {
    const s = complete(settings), { p } = s, net = NETWORKS[s.model](s), taken = s.given !== "nothing" && !given.weights;
    const random = chance(2 * (s.seed + (taken ? OTHER : 0)));
    const names = Object.keys(net.shapes), sizes = names.map((name) => net.shapes[name].reduce((a, b) => a * b));
    const total = sizes.reduce((a, b) => a + b), flat = zeros(total), slopes = zeros(total), decay = zeros(total), w = {}, g = {};
    let at = 0;
    names.forEach((name, k) => {
      w[name] = flat.subarray(at, at + sizes[k]);
      g[name] = slopes.subarray(at, at + sizes[k]);
      decay.fill(s[`decay_${layer(name)}`] ? s.weight_decay : 0, at, at + sizes[k]);
      for (let i = 0; i < sizes[k]; i++) w[name][i] = given.weights ? given.weights[name][i] : net.draw(name, random);
      at += sizes[k];
    });
    if (taken) w.W_E.set(handed(s));
    const cells = given.cells || split(s), every = Array.from({ length: p * p }, (_, c) => c);
    const label = (cell) => (Math.floor(cell / p) + (cell % p)) % p, keep = zeros(net.units).fill(1);
    const lossOf = LOSSES[s.loss], train = net.pass(cells), move = OPTIMIZERS[s.optimizer](s, total, decay), { error } = train;
    const run = { s, w, net, keep, cells, every, label, step: 0, fitted: null, whole: net.pass(every) };
    const after = intervened(run, flat), waits = s.freeze === "fitted" || s.hold === "fitted";
    const trained = new Uint8Array(p * p);
    for (const cell of cells) trained[cell] = 1;
    /** What a cell is: 2 trained, 1 its mirror image was trained, 0 neither. */
    run.kinds = every.map((c) => (trained[c] ? 2 : trained[(c % p) * p + Math.floor(c / p)]));
    run.advance = () => {
      const out = tempered(train.forward(w, keep), s);
      let loss = 0;
      if (waits && run.fitted === null && fits(out, cells, label, p)) run.fitted = run.step;
      for (let r = 0; r < cells.length; r++) loss += lossOf(out, r * p, p, label(cells[r]), error);
      for (let i = 0; i < error.length; i++) error[i] /= cells.length * s.temperature;
      train.backward(w, g);
      after(() => move(flat, slopes, run.step));
      run.step += 1;
      return loss / cells.length;
    };
    return run;
  }

  // ------------------------------------------------------------------ what is read off a run

  /** The answer of a row of outputs, the first of the largest. */
  function answer(out, at, p) {
    let best = 0;
    for (let c = 1; c < p; c++) if (out[at + c] > out[at + best]) best = c;
    return best;
  }

  /** Whether 95 per cent of the training pairs are answered rightly. */
  const fits = (out, cells, label, p) =>
    cells.filter((cell, r) => answer(out, r * p, p) === label(cell)).length >= 0.95 * cells.length - 1e-9;

  /** Accuracies and losses of the whole table, which cells are right, and |G_F| on the training cells. */
  function answers(run) {
    const { s, w, every, label, kinds } = run, { p } = s, out = tempered(run.whole.forward(w, run.keep), s), slope = zeros(p * p * p);
    const right = new Uint8Array(p * p), loss = [0, 0], count = [0, 0, 0], hits = [0, 0, 0];
    every.forEach((cell) => {
      right[cell] = answer(out, cell * p, p) === label(cell) ? 1 : 0;
      count[kinds[cell]] += 1;
      hits[kinds[cell]] += right[cell];
      loss[kinds[cell] === 2 ? 0 : 1] += LOSSES[s.loss](out, cell * p, p, label(cell), slope);
    });
    const share = (a, b) => (b ? a / b : null);
    return { right, train: share(hits[2], count[2]), mirrored: share(hits[1], count[1]), unseen: share(hits[0], count[0]),
             test: share(hits[0] + hits[1], count[0] + count[1]), hits, count, train_loss: share(loss[0], count[2]),
             test_loss: share(loss[1], count[0] + count[1]), feature_gradient: featureGradient(run, out, slope) };
  }

  /**
   * |P (Y - F V) V^T| over the training cells, P takes out their mean; with cross entropy the softmax stands for F V.
   * With a temperature the outputs, and V, are over it.
   */
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
    return Math.sqrt(Math.max(0, seen.reduce((sum, value, i) => sum + value * read[i], 0))) / s.temperature;
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

  /**
   * What the neurons do: `clocks`, each one's strongest frequency, its share of the power, the phases for both operands
   * and the answer, its power; `ranks`, the share of the neurons' power in the strongest frequency of each, the second, ...
   */
  function neurons(run) {
    const { p } = run.s, n = run.net.units, found = run.net.roles(run.w, run.whole).map((table) => waves(table, p, n));
    const ranks = Array(found[0].top).fill(0);
    const clocks = Array.from({ length: n }, (_, k) => {
      const powers = ranks.map((_, f) => found.slice(0, 2).reduce((s, { even, odd }) => s + even[f * n + k] ** 2 + odd[f * n + k] ** 2, 0));
      const all = powers.reduce((a, b) => a + b), most = Math.max(...powers), best = powers.indexOf(most);
      powers.sort((a, b) => b - a).forEach((power, rank) => { ranks[rank] += power; });
      const phases = found.map(({ even, odd }) => Math.atan2(odd[best * n + k], even[best * n + k]));
      return [best + 1, most / (all || 1), ...phases, most];
    });
    const total = ranks.reduce((a, b) => a + b);
    return { clocks, ranks: ranks.map((power) => power / (total || 1)) };
  }

  /**
   * The numbers of the table on the circle that is strongest in it: its frequency, its share of the power, and of each number
   * the place in the plane of that frequency's cosine and sine sums.
   */
  function ring(run) {
    const { p } = run.s, d = run.net.wide, table = run.net.table(run.w), { top, even, odd } = waves(table, p, d);
    const powers = Array.from({ length: top }, (_, f) => squares(even.subarray(f * d, (f + 1) * d)) + squares(odd.subarray(f * d, (f + 1) * d)));
    const best = powers.indexOf(Math.max(...powers)), u = even.slice(best * d, (best + 1) * d), v = odd.slice(best * d, (best + 1) * d);
    const dot = (a, b, at = 0) => { let sum = 0; for (let k = 0; k < d; k++) sum += a[at + k] * b[k]; return sum; };
    const lean = dot(u, v) / (squares(u) || 1);
    for (let k = 0; k < d; k++) v[k] -= lean * u[k];
    const [wide, high] = [u, v].map((axis) => Math.sqrt(squares(axis)) || 1);
    const points = Array.from({ length: p }, (_, i) => [dot(table, u, i * d) / wide, dot(table, v, i * d) / high]);
    return { frequency: best + 1, share: powers[best] / (powers.reduce((a, b) => a + b) || 1), points };
  }

  /** All that a page shows of a run now. */
  function look(run) {
    const { p } = run.s, table = run.net.table(run.w), told = answers(run);
    return { step: run.step, fitted: run.fitted, ...told, med: med(table, p, run.net.wide) };
  }

  /** Train from given weights and cells, without dropped neurons: weights by name, the loss before each step, a look. */
  function trained(settings, weights, cells, steps, dropped = []) {
    const run = start(settings, { weights, cells });
    dropped.forEach((unit) => { run.keep[unit] = 0; });
    const losses = Array.from({ length: steps }, () => run.advance());
    const after = Object.fromEntries(Object.entries(run.w).map(([name, values]) => [name, Array.from(values)]));
    return { weights: after, losses, look: { ...look(run), right: Array.from(answers(run).right) }, ...neurons(run), ring: ring(run) };
  }

  /** Make some steps of a run, for a benchmark; its last loss. */
  function steps(settings, count) {
    const run = start(settings);
    let loss = 0;
    for (let k = 0; k < count; k++) loss = run.advance();
    return loss;
  }

  // ------------------------------------------------------------------ the loop of a worker

  /** The first step of a curve from which a share is 95 per cent or more there and at the next three points; null: none. */
  function reached(curve, name) {
    const known = curve.filter((point) => point[name] !== null), high = (point) => point && point[name] >= 0.95 - 1e-6;
    const found = known.find((_, k) => [0, 1, 2, 3].every((more) => high(known[k + more])));
    return found ? found.step : null;
  }

  /** Steps at which a curve has a point: all up to 100, then 90 in each power of ten. */
  const logged = (step) => step <= 100 || step % 10 ** (Math.floor(Math.log10(step)) - 1) === 0;

  /** Answer the messages of a page: start, going, one, drop. A batch of steps lasts 80 ms, or four times what telling takes. */
  function serve(port) {
    let run = null, going = false, end = 0, gentle = true, events = [], curve = [], clock = 0, credit = 0, telling = 0, ringed = false;
    const point = () => {
      const now = look(run);
      if (logged(run.step) && (!curve.length || curve[curve.length - 1].step < run.step)) {
        curve.push(now);
      }
      return now;
    };
    const apply = () => events.filter((e) => e.step === run.step).forEach((e) => { run.keep[e.unit] = e.on ? 1 : 0; });
    const tell = () => {
      const begun = performance.now(), now = point();
      port.postMessage({ now, curve, ...neurons(run), ...(ringed ? { ring: ring(run) } : {}), keep: Array.from(run.keep), kinds: run.kinds, events,
                         over: run.step >= end });
      curve = [];
      telling = performance.now() - begun;
    };
    function batch() {
      if (!going) return;
      const begun = performance.now();
      credit += gentle ? Math.min(0.3, (begun - clock) / 1000) * (15 + run.step / 6) : Infinity;
      clock = begun;
      while (credit >= 1 && run.step < end && performance.now() - begun < Math.max(80, 4 * telling)) {
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
        ringed = !!data.ringed;
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

  return { start, split, look, neurons, ring, med, trained, steps, serve, reached, logged, NETWORKS, LOSSES, OPTIMIZERS, NONE, complete };
};
