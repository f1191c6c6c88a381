/** Set by the bundler (host/bundle.ts). */
declare const LONGSHORE_BUNDLED: true | undefined;

/**
 * True in the bundle of a host. All its modules, and the files that they read, are in one directory. Otherwise modules are at their paths
 * in the repository.
 */
export const bundled = typeof LONGSHORE_BUNDLED !== 'undefined';
