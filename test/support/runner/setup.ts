/** Runs before each test file of the project `node`. */

import { fixDraws } from '../fixed-draws.ts';
import { everything } from '../level.ts';

fixDraws(everything);
