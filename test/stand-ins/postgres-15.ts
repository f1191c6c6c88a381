/** An earlier major version of PostgreSQL, for tests of upgrades: Debian bookworm has 15. */
import { postgresImage } from '../../local/images/recipes.ts';

export const postgres15 = postgresImage('postgres:15', { suite: 'bookworm', major: 15 }, []);
