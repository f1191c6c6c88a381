/** Bodies of answers from servers that a user chose. */

/** A page of 100 repositories has about 600 kB. */
const answerBytesMax = 4 * 2 ** 20;

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  constructor() {
    super('The answer of the git host is too large.');
  }
}

/** @returns parsed JSON; undefined if the body is no JSON @throws AnswerTooLarge for an answer larger than any that is used here */
export async function jsonAnswer({ body }: Response): Promise<unknown> {
  if (body === null) return undefined;
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw new AnswerTooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return jsonOf(text + decoder.decode());
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
