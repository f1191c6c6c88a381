/** Questions to a person at a terminal. Without a terminal, nothing is asked. */
import { exitCodes, Failure, usageFailure } from './failure.ts';
import { printableText, type Streams } from './output.ts';

/** Loaded only when there is a question: most commands ask nothing. */
const prompts = () => import('@clack/prompts');

/** Whether a person can be asked. */
export const isTerminal = ({ stdin, stderr }: Streams) => Boolean(stdin.isTTY && stderr.isTTY);
const nothingChanged = (exitCode: number) =>
  new Failure('Cancelled: nothing was changed.', { exitCode, code: 'cancelled' });

/**
 * Asks yes or no.
 * @param yes the answer was given by `-y`
 * @param initial the meaning of Enter alone: no, where data could be lost
 * @throws Failure without a terminal and without `-y` (usage), if the answer is no (aborted), and for Ctrl-C (interrupted)
 */
export async function confirm(
  streams: Streams,
  question: string,
  yes: boolean,
  initial = false,
): Promise<void> {
  if (yes) return;
  if (!isTerminal(streams))
    throw usageFailure(`${question} There is no terminal to ask: repeat the command with -y.`);
  const clack = await prompts();
  const answer = await clack.confirm({
    message: printableText(question, false),
    initialValue: initial,
    output: streams.stderr,
  });
  if (clack.isCancel(answer)) throw nothingChanged(exitCodes.interrupted);
  if (!answer) throw nothingChanged(exitCodes.aborted);
}

/**
 * Asks for one line, without an echo if it is `secret`.
 * @param without what to do if there is no terminal
 * @throws Failure without a terminal (usage), and for Ctrl-C
 */
export async function ask(
  streams: Streams,
  message: string,
  { secret = false, without }: { secret?: boolean; without: string },
): Promise<string> {
  if (!isTerminal(streams)) throw usageFailure(without);
  const clack = await prompts();
  const question = { message, output: streams.stderr };
  const answer = await (secret ? clack.password(question) : clack.text(question));
  if (clack.isCancel(answer)) throw nothingChanged(exitCodes.interrupted);
  return (answer ?? '').trim();
}

/** Asks for one of some words. @param without what to do if there is no terminal @throws Failure without a terminal (usage), and for Ctrl-C */
export async function choose<Word extends string>(
  streams: Streams,
  message: string,
  words: readonly Word[],
  without: string,
): Promise<Word> {
  if (!isTerminal(streams)) throw usageFailure(`${message} ${without}`);
  const clack = await prompts();
  const options = words.map((value) => ({ value, label: value as string }));
  const answer = await clack.select<string>({ message, options, output: streams.stderr });
  const word = words.find((one) => one === answer);
  if (word === undefined) throw nothingChanged(exitCodes.interrupted);
  return word;
}
