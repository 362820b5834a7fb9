/** The client of Tacit: keys, encryption and decryption in a worker. Nothing here uses a network. */

/** The work was refused, or failed. `message` is one sentence: what is wrong, where, and what to do. */
export class TacitRefused extends Error {
  readonly code: 'refused' | 'key-mismatch' | 'cancelled' | 'stopped' | 'no-memory' | 'fault';
}

export interface ProgressReport { stage: string; done: number; total: number }

export interface WorkOptions {
  onProgress?: (report: ProgressReport) => void;
  /** Cancelling ends the worker: load the module again afterwards. */
  signal?: AbortSignal;
}

export interface LoadOptions {
  /** The module tacit_client.wasm. In Node it may be left out. */
  wasm?: Uint8Array | ArrayBuffer | Response;
  /** The SHA-256 of the module in hexadecimal digits. It is compared before the module is compiled. */
  sha256?: string;
}

/** Starts a worker with the module. */
export function load(options?: LoadOptions): Promise<Tacit>;

export interface Tacit {
  readonly version: string;
  /** Opens the client's half of a model: the bytes of client.tacit. */
  model(bytes: Uint8Array | ArrayBuffer, options?: { allowInsecure?: boolean }): Promise<Model>;
  /** The memory that the module has asked for. */
  heapBytes(): Promise<number>;
  /** Ends the worker. */
  close(): void;
}

export interface TensorFacts { name: string; shape: number[]; type: 'real' | 'integer' | 'text' }

export interface ModelFacts {
  name: string;
  id: string;
  scheme: 'CKKS' | 'TFHE';
  parameters: string;
  security_bits: number;
  batch: number;
  /** The bytes of the evaluation keys in memory. Files of them are smaller. */
  key_bytes: number;
  inputs: TensorFacts[];
  outputs: TensorFacts[];
}

/** Where the evaluation keys go: at most one of `store`, `onPlace` and `onPiece`. Without any they are collected in
 *  `Keys.evaluation`. */
export interface KeyOptions extends WorkOptions {
  /** The name of a file: of the browser's private file system (navigator.storage.getDirectory()), or in Node a path.
   *  It is written while keys are made. */
  store?: string;
  /** Receives bytes and their offset in the file of the keys, each byte once. */
  onPlace?: (offset: number, bytes: Uint8Array) => void;
  /** Receives the bytes in order. Keys are then made twice, because their root precedes them. */
  onPiece?: (piece: Uint8Array) => void;
  /** With `onPiece`: receives the number of bytes of the evaluation keys and their root, before the bytes. */
  onBegin?: (facts: { bytes: number; root: Uint8Array }) => void;
}

export interface Model {
  readonly facts: ModelFacts;
  /** Draws a secret key, and makes the keys that the server needs. */
  generateKeys(options?: KeyOptions): Promise<Keys>;
  /** Returns keys from the bytes that `exportSecret` gave. They are checked when they are used. With `root`, the
   *  `Keys.root` of that time, receipts must name it. */
  keys(secret: Uint8Array | ArrayBuffer, options?: { root?: Uint8Array | null }): Keys;
  close(): Promise<void>;
}

export type Values = ArrayLike<number>;
export type Input = Record<string, Values | { values: Values; shape: number[] }>;

/** Encrypted inputs. Only `bytes` go to the server. */
export interface Question {
  bytes: Uint8Array;
  /** Values that the model returns unchanged, in the clear. They never go to the server. */
  kept: Uint8Array;
}

export interface Output { values: Float64Array; shape: number[]; texts?: string[] }

export interface Keys {
  /** The keys for the server, unless they went somewhere else. */
  readonly evaluation?: Uint8Array;
  /** The root of the evaluation keys, which a receipt and the server name. Null for keys from `Model.keys` without a root. */
  readonly root: Uint8Array | null;
  /** Returns the secret key in the clear. Whoever has it reads all inputs and results. */
  exportSecret(): Uint8Array;
  /** Encrypts one input, or a list of them for one call of the server. */
  encrypt(input: Input | Input[], options?: WorkOptions): Promise<Question>;
  /** Decrypts results, one record per input. With `question` it checks that they answer it. */
  decrypt(results: Uint8Array | ArrayBuffer, options?: WorkOptions & {
    question?: Question;
    /** The receipt of the evaluation. It must be of this model, these keys, the question and the results. */
    receipt?: Uint8Array | ArrayBuffer;
    /** The Ed25519 key that must have signed the receipt, in hexadecimal digits. */
    signer?: string;
  }): Promise<Record<string, Output>[]>;
}
