/** The client of `tacit serve` in a page. The server must allow the origin of the page (tacit serve --allow-origin). */
import type { Question } from './index.js';

export interface ServiceOptions {
  /** The token that the server's operator gave out. */
  token: string;
  /** Receives the bytes of bodies that were sent and received so far. */
  onTraffic?: (traffic: { sent: number; received: number }) => void;
}
export interface RequestOptions { signal?: AbortSignal }
export interface OfferedModel { id: string; name: string; scheme: 'CKKS' | 'TFHE'; [fact: string]: unknown }
export interface KeyState {
  state: 'none' | 'partial' | 'ready';
  root?: string;
  bytes?: number;
  upload?: { received: number; total: number };
}

/** Throws TacitRefused with the sentence of the server. */
export class Service {
  constructor(url: string, options: ServiceOptions);
  readonly sent: number;
  readonly received: number;
  models(options?: RequestOptions): Promise<OfferedModel[]>;
  /** The bytes of a model's client half, for `Tacit.model`. */
  clientHalf(id: string, options?: RequestOptions): Promise<Uint8Array>;
  /** The server's state of this client's keys. */
  keys(id: string, options?: RequestOptions): Promise<KeyState>;
  /** Uploads evaluation keys, in pieces. An interrupted upload continues when this is called again with the same keys.
   *  `root` is `Keys.root`: keys that the server has are not sent again. */
  uploadKeys(id: string, keys: Blob | Uint8Array, options?: RequestOptions & {
    root?: Uint8Array | null;
    onProgress?: (progress: { done: number; total: number }) => void;
  }): Promise<KeyState>;
  /** Evaluates a question, and waits in the server's queue. The results and the receipt go to `Keys.decrypt`. */
  evaluate(id: string, question: Question, options?: RequestOptions & {
    onProgress?: (job: { job: string; state: string; progress?: { stage: string; done: number; total: number } }) => void;
  }): Promise<{ answer: Uint8Array; receipt: Uint8Array; seconds: number }>;
}
