/** The internal parts of the driver that `filler.ts` uses. */
declare module 'mongodb/lib/cmap/commands.js' {
  export class DocumentSequence {
    constructor(field: string);
    push(document: object, bytes: Uint8Array): number;
  }
}
