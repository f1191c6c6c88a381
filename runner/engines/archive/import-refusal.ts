/** A source that can't be taken as it is; the message is the sentence for the user. */
export class ImportRefusal extends Error {
  override readonly name = 'ImportRefusal';
}
