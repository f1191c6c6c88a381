/** Texts of services, deployments, logs and variables. */

export const mapText = {
  title: 'References between services',
  refersTo: (names: string) => `Refers to ${names}`,
  referredBy: (names: string) => `Used by ${names}`,
  tooMany: 'More than 40 services refer to each other, which is too many for a drawing.',
  incomplete: 'This project has very many variables; only the oldest 2,000 are considered.',
} as const;
