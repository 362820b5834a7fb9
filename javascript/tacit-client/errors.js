// The errors that the package throws on purpose. `code` is stable, and `message` is the sentence of the library.

export const codes = ['ok', 'refused', 'key-mismatch', 'cancelled', 'stopped', 'no-memory', 'fault'];

/** The work was refused, or failed. */
export class TacitRefused extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.name = 'TacitRefused';
    this.code = code;
  }
}
