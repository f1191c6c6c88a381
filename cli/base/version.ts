/** Set by `bundle.ts`; absent when the sources run. */
declare const LONGSHORE_VERSION: string | undefined;

/** Version of the command line. */
export const version = typeof LONGSHORE_VERSION === 'string' ? LONGSHORE_VERSION : 'source';
