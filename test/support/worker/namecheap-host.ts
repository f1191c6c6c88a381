/** A host that answers the calls for Namecheap as Namecheap does: a write replaces all records of the domain. */
import type { NamecheapAnswer, NamecheapCall, NamecheapRecord } from '../../../protocol/namecheap.ts';
import type { NamecheapHost } from '../../../worker/gateways/dns/index.ts';

export class NamecheapServer implements NamecheapHost {
  readonly clientIp = '203.0.113.7';
  /** Records by domain. */
  readonly domains = new Map<string, NamecheapRecord[]>();

  async ask(call: NamecheapCall): Promise<NamecheapAnswer> {
    if (call.method === 'list-domains') return { outcome: 'domains', domains: [...this.domains.keys()] };
    if (call.method === 'write-records') {
      this.domains.set(call.domain, call.records);
      return { outcome: 'written' };
    }
    const records = this.domains.get(call.domain) ?? [];
    return { outcome: 'records', isUsingOurDns: true, emailType: 'MX', records };
  }
}
