/** `none`: not sent to the event webhook. `undelivered`: given up after a day. */
export const deliveryStates = ['none', 'pending', 'delivered', 'undelivered'] as const;

/** The delivery state of an outbox row. */
export function deliveryOf(row: {
  attempts: number;
  nextAttemptAt: number | null;
  deliveredAt: number | null;
}): (typeof deliveryStates)[number] {
  if (row.deliveredAt !== null) return 'delivered';
  if (row.nextAttemptAt !== null) return 'pending';
  return row.attempts === 0 ? 'none' : 'undelivered';
}
