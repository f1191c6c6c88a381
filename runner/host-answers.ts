/** What the host answers when a client of the control plane waits for it. */
import type { HostRequest, HostRequestOf } from '../protocol/host-request.ts';
import type { Traffic } from './proxy/traffic.ts';

/** One function per question; a forgotten one does not compile. */
export type HostAnswers = { [Op in HostRequest['op']]: (ask: HostRequestOf<Op>) => Promise<unknown> };

export interface HostAnswerParts {
  traffic: Traffic;
  /** Opens what is sealed in a question of this kind. @throws Error when it was sealed for something else */
  openQuestion(op: HostRequest['op'], sealed: string): string;
}

export function createHostAnswers({ traffic, openQuestion }: HostAnswerParts): HostAnswers {
  return {
    'probe-route': ({ hostname }) => traffic.probe(hostname),
    // Loaded when it is asked: few hosts ever are.
    namecheap: async ({ op, sealed }) => {
      const { answerNamecheap } = await import('./namecheap/answer-namecheap.ts');
      return answerNamecheap(openQuestion(op, sealed));
    },
  };
}

/** Answers the question by its kind. @throws what the answer could not be found for */
export function answerHostRequest(answers: HostAnswers, ask: HostRequest): Promise<unknown> {
  switch (ask.op) {
    case 'probe-route':
      return answers['probe-route'](ask);
    case 'namecheap':
      return answers.namecheap(ask);
  }
}
