/** Forwards the control plane's requests to Namecheap: only the methods of protocol/namecheap, only to Namecheap's address. */
import {
  type NamecheapAnswer,
  type NamecheapCall,
  type NamecheapRequest,
  namecheapRequestSchema,
} from '../../../protocol/namecheap.ts';
import { NamecheapApi, namecheapUrl } from './namecheap-api.ts';
import { NamecheapRefusal, NamecheapUnavailable } from './namecheap-reply.ts';

/**
 * @param question the decrypted request
 * @throws Error when it is not a request; its message contains no part of the content
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

function read(question: string): NamecheapRequest {
  try {
    return namecheapRequestSchema.parse(JSON.parse(question));
  } catch {
    // No cause: the message of JSON.parse quotes its input.
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
