/** An import source that can't be accepted. The message is the sentence for the user. */
export class ImportRefusal extends Error {
  override readonly name = 'ImportRefusal';
}
