// The WebAssembly module, called in the thread that it is instantiated in. index.js calls it in a worker.

import {TacitRefused, codes} from './errors.js';

const nothing = new Uint8Array(0);
const errnoBadFile = 8;
const errnoNotSupported = 52;
const kSizeOfBytes = 8;
const kSizeOfArray = 12;

const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Checks the digest of a module before it is compiled. */
export async function compileModule(bytes, sha256) {
  if (sha256 !== undefined) {
    const found = hexadecimal(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
    if (found !== sha256.toLowerCase())
      throw new TacitRefused('refused', `the module has the SHA-256 ${found} and not ${sha256}; it is not used`);
  }
  return WebAssembly.compile(bytes);
}

export class Module {
  /** Instantiates a compiled module. */
  static async instantiate(compiled) {
    const module = new Module();
    const instance = await WebAssembly.instantiate(compiled, module.#imports(compiled));
    module.#exports = instance.exports;
    module.#exports._initialize();
    return module;
  }

  #exports;
  #sinks = new Map();
  #nextSink = 1;
  #report = null;
  #thrown = null;
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();

  get version() {
    return this.#text(this.#exports.tacit_version());
  }
  /** The bytes that the module's memory has grown to. */
  get heapBytes() {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Opens the client's half of a model, and returns its handle and its facts. */
  openModel(bytes, {allowInsecure = false} = {}) {
    return this.#scoped((scope) => {
      const place = scope.allocate(4);
      const data = scope.copy(bytes);
      this.#check(this.#exports.tacit_model_open(data, bytes.length, allowInsecure ? 1 : 0, place));
      const handle = this.#view().getUint32(place, true);
      return {handle, facts: JSON.parse(this.#text(this.#exports.tacit_model_facts(handle)))};
    });
  }
  closeModel(handle) {
    this.#exports.tacit_model_free(handle);
  }

  /** Makes keys. A sink is {begin(bytes, root), piece(bytes)}; the bytes of a piece are valid during the call. The
   *  evaluation keys are made once if their sink is {place(offset, bytes), end(bytes, root)}, and twice otherwise. */
  makeKeys(handle, {evaluation, secret, publicKey = null, report = null}) {
    const make = evaluation.place === undefined ? this.#exports.tacit_make_keys : this.#exports.tacit_place_keys;
    this.#withSinks([evaluation, publicKey, secret], report, ([toEvaluation, toPublic, toSecret]) =>
      this.#check(make(handle, toEvaluation, toPublic, toSecret)));
  }

  /** Encrypts inputs. Each is a list of {values, shape}, in the model's order. */
  encrypt(handle, {key, keyIsPublic = false, inputs, question, kept, report = null}) {
    this.#scoped((scope) => {
      const perInput = inputs.length === 0 ? 0 : inputs[0].length;
      const arrays = scope.allocate(Math.max(1, inputs.length * perInput) * kSizeOfArray);
      inputs.flat().forEach(({values, shape}, i) => {
        const data = scope.copy(new Uint8Array(Float64Array.from(values).buffer), true);
        const extents = scope.copy(new Uint8Array(BigInt64Array.from(shape, BigInt).buffer));
        const view = this.#view();
        view.setUint32(arrays + i * kSizeOfArray, data, true);
        view.setUint32(arrays + i * kSizeOfArray + 4, extents, true);
        view.setUint32(arrays + i * kSizeOfArray + 8, shape.length, true);
      });
      const secret = scope.copy(key, true);
      this.#withSinks([question, kept], report, ([toQuestion, toKept]) =>
        this.#check(this.#exports.tacit_encrypt(handle, secret, key.length, keyIsPublic ? 1 : 0, arrays, perInput,
                                                inputs.length, toQuestion, toKept)));
    });
  }

  /** Decrypts results: for each input, a list of {name, values, shape, texts}. */
  decrypt(handle, {key, results, question = nothing, kept = nothing, report = null}) {
    return this.#scoped((scope) => {
      const place = scope.allocate(4);
      const [ofKey, ofResults, ofQuestion, ofKept] =
        [scope.bytes(key, true), scope.bytes(results), scope.bytes(question), scope.bytes(kept, true)];
      this.#withSinks([], report, () =>
        this.#check(this.#exports.tacit_decrypt(handle, ofKey, ofResults, ofQuestion, ofKept, place)));
      const answers = this.#view().getUint32(place, true);
      try {
        return this.#answers(answers, scope.allocate(kSizeOfArray));
      } finally {
        this.#exports.tacit_answers_free(answers);
      }
    });
  }

  /** Checks the receipt of results, and returns the key that signed it in hexadecimal digits, or null. */
  checkReceipt(handle, {receipt, keysRoot = null, question = nothing, results = nothing}) {
    return this.#scoped((scope) => {
      const signer = scope.allocate(32);
      const root = keysRoot === null ? 0 : scope.copy(keysRoot);
      this.#check(this.#exports.tacit_check_receipt(handle, scope.bytes(receipt), root, scope.bytes(question),
                                                    scope.bytes(results), signer));
      const key = this.#bytes(signer, 32).slice();
      return key.some((byte) => byte !== 0) ? hexadecimal(key) : null;
    });
  }

  #answers(answers, place) {
    const inputs = this.#exports.tacit_answers_inputs(answers);
    const outputs = this.#exports.tacit_answers_outputs(answers);
    return Array.from({length: inputs}, (_, input) => Array.from({length: outputs}, (__, output) => {
      this.#check(this.#exports.tacit_answers_get(answers, input, output, place));
      const view = this.#view();
      const [data, extents, dimensions] = [0, 4, 8].map((at) => view.getUint32(place + at, true));
      const shape = Array.from({length: dimensions}, (___, i) => Number(view.getBigInt64(extents + 8 * i, true)));
      const size = shape.reduce((product, extent) => product * extent, 1);
      const values = new Float64Array(this.#exports.memory.buffer.slice(data, data + 8 * size));
      const texts = Array.from({length: size}, (___, i) => this.#exports.tacit_answers_text(answers, input, output, i));
      const named = texts.length > 0 && texts[0] !== 0;
      return {name: this.#text(this.#exports.tacit_answers_name(answers, output)), values, shape,
              texts: named ? texts.map((text) => this.#text(text)) : undefined};
    }));
  }

  #imports(compiled) {
    const guarded = (body) => {
      try {
        body();
        return 0;
      } catch (error) {
        this.#thrown = error;
        return 1;
      }
    };
    const whole = (number) => Number(BigInt.asUintN(64, number));
    const functions = {
      tacit: {
        begin: (sink, bytes, root) =>
          guarded(() => this.#sinks.get(sink).begin?.(whole(bytes), this.#bytes(root, 32).slice())),
        place: (sink, offset, data, size) =>
          guarded(() => this.#sinks.get(sink).place(whole(offset), this.#bytes(data, size))),
        end: (sink, bytes, root) => guarded(() => this.#sinks.get(sink).end(whole(bytes), this.#bytes(root, 32).slice())),
        piece: (sink, data, size) => guarded(() => this.#sinks.get(sink).piece(this.#bytes(data, size))),
        report: (_, stage, done, total) =>
          guarded(() => this.#report?.(this.#text(stage), Number(done), Number(total))),
      },
      wasi_snapshot_preview1: {
        random_get: (data, size) => {
          // crypto.getRandomValues gives at most 64 KiB at once.
          for (let at = 0; at < size; at += 65536)
            crypto.getRandomValues(this.#bytes(data + at, Math.min(65536, size - at)));
          return 0;
        },
        // There is no environment, and no folder.
        environ_sizes_get: (count, size) => {
          this.#view().setUint32(count, 0, true);
          this.#view().setUint32(size, 0, true);
          return 0;
        },
        environ_get: () => 0,
        fd_prestat_get: () => errnoBadFile,
        proc_exit: (status) => {
          throw new TacitRefused('fault', `the module ended with status ${status}`);
        },
      },
    };
    // The C library asks for files and clocks, which the client does not use: they are not supported.
    const imports = {};
    for (const {module, name} of WebAssembly.Module.imports(compiled))
      (imports[module] ??= {})[name] = functions[module]?.[name] ?? (() => errnoNotSupported);
    return imports;
  }

  #view() {
    return new DataView(this.#exports.memory.buffer);
  }
  #bytes(at, size) {
    return new Uint8Array(this.#exports.memory.buffer, at >>> 0, size >>> 0);
  }
  #text(at) {
    const memory = new Uint8Array(this.#exports.memory.buffer);
    return this.#decoder.decode(memory.slice(at, memory.indexOf(0, at)));
  }

  /** Throws what a sink or a report threw, or a TacitRefused. */
  #check(status) {
    const thrown = this.#thrown;
    this.#thrown = null;
    if (status === 0) return;
    if (thrown !== null) throw thrown;
    throw new TacitRefused(codes[status] ?? 'fault', this.#text(this.#exports.tacit_sentence()));
  }

  #withSinks(sinks, report, body) {
    const numbers = sinks.map((sink) => {
      if (sink === null || sink === undefined) return 0;
      this.#sinks.set(this.#nextSink, sink);
      return this.#nextSink++;
    });
    this.#report = report;
    try {
      body(numbers);
    } finally {
      numbers.forEach((number) => this.#sinks.delete(number));
      this.#report = null;
    }
  }

  /** Memory of the module that is freed in the end. Secrets are wiped before. */
  #scoped(body) {
    const held = [];
    const scope = {
      allocate: (size, secret = false) => {
        const at = this.#exports.tacit_allocate(Math.max(1, size));
        if (at === 0)
          throw new TacitRefused('no-memory', 'there is not enough memory; free some, or take a smaller model');
        held.push({at: at >>> 0, size, secret});
        return at >>> 0;
      },
      copy: (bytes, secret = false) => {
        const at = scope.allocate(bytes.length, secret);
        this.#bytes(at, bytes.length).set(bytes);
        return at;
      },
      bytes: (content, secret = false) => {
        const place = scope.allocate(kSizeOfBytes);
        const data = scope.copy(content, secret);
        this.#view().setUint32(place, data, true);
        this.#view().setUint32(place + 4, content.length, true);
        return place;
      },
    };
    try {
      return body(scope);
    } finally {
      for (const {at, size, secret} of held) {
        if (secret) this.#exports.tacit_wipe(at, size);
        else this.#exports.tacit_free(at);
      }
    }
  }
}
