/**
 * Replaces the files of a volume with those of another one, while nothing else uses it. The old files stay in the volume, in a separate
 * directory, until the swap is finished or undone. The content of that directory tells a restarted runner the progress of the swap:
 *
 *   `old/`           old files; without `moved`, the others are still in their place
 *   `moved`          all old files are in `old/`; what is beside the directory is new
 *   `filled`         the new files are complete
 *
 * Every step can be repeated after a kill at any point of it.
 */
import type { ContainerTools } from '../../../engines/container-tools.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import { volumePath } from './volume-archive.ts';

/** The path of the new files in the helper. */
export const newFilesPath = '/new';

const begin = `cd ${volumePath}; aside=".longshore-$SUFFIX"`;
const others = `find . -mindepth 1 -maxdepth 1 ! -name "$aside"`;

/** `old/` keeps owner and mode of the volume's own directory for an undo; they are set once `time` exists. */
const setAsideScript = `${begin}
mkdir -p "$aside/old"; chmod 700 "$aside"
chown --reference=. "$aside/old"; chmod --reference=. "$aside/old"; touch "$aside/time"
${others} -exec mv --no-clobber --target-directory="$aside/old" -- {} +
sync; touch "$aside/moved"; sync`;

const fillScript = `${begin}
cp --archive --sparse=auto ${newFilesPath}/. ${volumePath}/
sync; touch "$aside/filled"; sync`;

const undoScript = `${begin}
[ -d "$aside" ] || exit 0
rm -f "$aside/filled"; sync
if [ -e "$aside/moved" ]; then ${others} -exec rm -rf -- {} +; sync; rm -f "$aside/moved"; sync; fi
if [ -d "$aside/old" ]; then
  find "$aside/old" -mindepth 1 -maxdepth 1 -exec mv --target-directory=. -- {} +
  if [ -e "$aside/time" ]; then chown --reference="$aside/old" .; chmod --reference="$aside/old" .; fi
  rmdir "$aside/old"
fi
rm -rf "$aside"; sync`;

const finishScript = `${begin}
rm -rf "$aside"; sync`;

const stateScript = `${begin}
if [ -e "$aside/filled" ]; then exit 10; fi`;

/** The steps in a helper with the volume at `volumePath`. @throws EngineError with the output of the failed program */
export function filesSwap(tools: ContainerTools, suffix: string) {
  // A swap that has begun is not aborted.
  const signal = new AbortController().signal;
  const run = async (what: string, script: string) => {
    const { code, stderr } = await tools.run(['sh', '-euc', script], { env: { SUFFIX: suffix }, signal });
    if (code === 0 || code === filledCode) return code;
    throw new EngineError('unavailable', `The ${what}: ${stderr.slice(-400) || `exit code ${code}`}`);
  };
  return {
    setAside: () => run('old files could not be set aside', setAsideScript),
    /** Needs the new files at `newFilesPath`. */
    fill: () => run('new files could not be copied into the volume', fillScript),
    /** Puts the old files back, so that nothing of the swap is left. Does nothing if no swap had begun. */
    undo: () => run('old files could not be put back', undoScript),
    finish: () => run('old files could not be removed', finishScript),
    /** True if the new files are complete. */
    isFilled: async () => (await run('state of the swap could not be read', stateScript)) === filledCode,
  };
}

/** Exit code of `stateScript`; no program of the image uses it. */
const filledCode = 10;
