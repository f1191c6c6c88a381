/** Texts of query plans. */

/** @param n the formatted number */
const rows = (n: string) => `${n} ${n === '1' ? 'row' : 'rows'}`;

export const planText = {
  explain: 'Explain',
  measure: 'Explain analyze',
  measureHelp: 'The statement is executed, and its changes are kept.',
  title: 'Plan',
  expected: 'Estimated by the database. Nothing was executed.',
  measured: 'Measured: the statement was executed.',
  copy: 'plan',
  heaviest: (share: string, isMeasured: boolean) =>
    isMeasured ? `Most of the time: ${share} in` : `Most of the cost: ${share} in`,
  shareOf: (isMeasured: boolean) => (isMeasured ? 'of the time' : 'of the cost'),
  rows,
  expectedRows: (n: string) => `${rows(n)} expected`,
  cost: (n: string) => `cost ${n}`,
  ms: (n: string) => `${n} ms`,
  tooLow: (factor: string) => `${factor}× more rows than expected`,
  tooHigh: (factor: string) => `${factor}× fewer rows than expected`,
  unknown: 'The database returned no plan in the expected form. This is its answer.',
} as const;
