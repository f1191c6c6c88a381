/** AI providers as servers: answers in the vendors' documented formats, and a record of all requests. */
import { Hono } from 'hono';
import type { Fetch } from '../../../../worker/gateways/ai/outside-fetch.ts';
import type { Json } from '../api.ts';

export interface AiRequest {
  url: string;
  headers: Record<string, string>;
  body: Json;
  /** The complete request as text. */
  text: string;
}

export const modelExplanation = {
  summary: 'The model says what happened.',
  likelyCause: 'The model says why.',
  suggestedFix: 'The model says what to do.',
  commands: ['npm install dayjs'],
};

/** The next answers of the model; the last one is repeated. */
export class AiServer {
  readonly requests: AiRequest[] = [];
  answers: string[] = [JSON.stringify(modelExplanation)];
  /** Replaces the answer. */
  broken: ((request: Request) => Response | Promise<Response>) | undefined;
  readonly #app = new Hono();

  constructor() {
    // An error that a test throws is a failed connection, not an answer.
    this.#app.onError((error) => {
      throw error;
    });
    // platform.openai.com/docs/api-reference/chat/object; the same for Workers AI, OpenRouter, Ollama and vLLM.
    this.#app.post('*', async (c) => {
      const text = await c.req.text();
      const body: Json = JSON.parse(text);
      this.requests.push({ url: c.req.url, headers: c.req.header(), body, text: c.req.url + text });
      if (this.broken) return this.broken(c.req.raw);
      const answer = (this.answers.length > 1 ? this.answers.shift() : this.answers[0]) ?? '';
      return Response.json(
        c.req.path.endsWith('/messages') ? message(body, answer) : completion(body, answer),
      );
    });
  }

  readonly fetch: Fetch = async (input, init) => this.#app.fetch(new Request(input, init));

  get last(): AiRequest {
    const request = this.requests.at(-1);
    if (!request) throw new Error('nothing was asked');
    return request;
  }
}

function completion(body: Json, content: string): Json {
  return {
    id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
    object: 'chat.completion',
    created: 1_741_569_952,
    model: body.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 19,
      completion_tokens: 10,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    service_tier: 'default',
  };
}

/** docs.anthropic.com/en/api/messages: a model that was given a tool for its answer calls it. */
function message(body: Json, answer: string): Json {
  const [tool] = body.tools ?? [];
  return {
    id: 'msg_013Zva2CMHLNnjNJJKqJ2EF',
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: tool
      ? [
          {
            type: 'tool_use',
            id: 'toolu_01D7FLrfh4GYq7yT1ULFeyMV',
            name: tool.name,
            input: JSON.parse(answer),
          },
        ]
      : [{ type: 'text', text: answer }],
    stop_reason: tool ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 2095, output_tokens: 503 },
  };
}
