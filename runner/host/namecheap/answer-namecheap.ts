/** Answers what the control plane asks of Namecheap: the methods of protocol/namecheap and no others, at Namecheap's address alone. */
import {
  type NamecheapAnswer,
  type NamecheapCall,
  type NamecheapQuestion,
  namecheapQuestionSchema,
} from '../../../protocol/namecheap.ts';
import { NamecheapApi, namecheapUrl } from './namecheap-api.ts';
import { NamecheapRefusal, NamecheapUnavailable } from './namecheap-reply.ts';

/**
 * @param question the opened text of the sealed question.
 * @throws Error when it is not a question; its text holds nothing of the content.
 */
export async function answerNamecheap(question: string, url = namecheapUrl): Promise<NamecheapAnswer> {
  const { credentials, call } = read(question);
  try {
    return await answer(new NamecheapApi({ credentials, url }), call);
  } catch (error) {
    if (error instanceof NamecheapRefusal) {
      return { outcome: 'refused', number: error.number, message: error.message };
    }
    if (error instanceof NamecheapUnavailable) return { outcome: 'unavailable', message: error.message };
    throw error;
  }
}

function read(question: string): NamecheapQuestion {
  try {
    return namecheapQuestionSchema.parse(JSON.parse(question));
  } catch {
    // Without the cause: what JSON.parse says quotes what it read.
    throw new Error('This version of the runner cannot read the request to Namecheap.');
  }
}

async function answer(api: NamecheapApi, call: NamecheapCall): Promise<NamecheapAnswer> {
  switch (call.method) {
    case 'list-domains':
      return { outcome: 'domains', domains: await api.listDomains() };
    case 'read-records':
      return { outcome: 'records', ...(await api.readRecords(call.domain)) };
    case 'write-records':
      await api.writeRecords(call.domain, call.emailType, call.records);
      return { outcome: 'written' };
  }
}
