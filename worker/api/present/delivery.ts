/** `none`: the event webhook does not get it. `undelivered`: given up after a day. */
export const deliveryStates = ['none', 'pending', 'delivered', 'undelivered'] as const;

/** How far the delivery of a row of an outbox is. */
export function deliveryOf(row: {
  attempts: number;
  nextAttemptAt: number | null;
  deliveredAt: number | null;
}): (typeof deliveryStates)[number] {
  if (row.deliveredAt !== null) return 'delivered';
  if (row.nextAttemptAt !== null) return 'pending';
  return row.attempts === 0 ? 'none' : 'undelivered';
}
