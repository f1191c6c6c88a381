/** What a chore waits for has not happened yet, as is to be expected: it is tried again, and nobody is warned at first. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
}
