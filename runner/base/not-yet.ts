/** The event that a chore waits for has not happened yet, as expected: the chore is tried again, without a warning at first. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
}
