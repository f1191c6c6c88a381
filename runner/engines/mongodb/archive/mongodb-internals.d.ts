/** Of the driver's inside, what `raw-insert.ts` takes. */
declare module 'mongodb/lib/cmap/commands.js' {
  export class DocumentSequence {
    constructor(field: string);
    push(document: object, bytes: Uint8Array): number;
  }
}
