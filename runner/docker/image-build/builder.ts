/** Docker's two ways to build an image: BuildKit, and the classic builder of old daemons. */
export type Builder = 'buildkit' | 'classic';

/** All builders, in the order in which a build tries them. */
export const allBuilders: readonly Builder[] = ['buildkit', 'classic'];
