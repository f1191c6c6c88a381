/** Limits and words of the language of log searches, without zod: the dashboard and the command line load them. */

export const queryCharsMax = 500;
export const queryTermsMax = 20;
/** How the value of a field is compared. `prefix`: it begins with the value. */
export const fieldTests = ['is', 'prefix', '<', '<=', '>', '>='] as const;
export const queryStreams = ['stdout', 'stderr', 'system', 'access'] as const;
