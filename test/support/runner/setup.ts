/** Before each test file of the project `node`. */
import { everything } from '../commit-share.ts';
import { fixDraws } from '../fixed-draws.ts';

fixDraws(everything);
