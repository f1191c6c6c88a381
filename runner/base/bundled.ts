/** Set by the bundler (host/bundle.ts). */
declare const LONGSHORE_BUNDLED: true | undefined;

/**
 * Whether this is the bundle of a host. All its modules, and the files that they read, are in one directory. Otherwise modules are where
 * the repository has them.
 */
export const bundled = typeof LONGSHORE_BUNDLED !== 'undefined';
