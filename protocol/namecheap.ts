/**
 * Namecheap calls that the control plane sends through a host, because Namecheap's API accepts only calls from listed addresses.
 * Only a closed set of methods is possible, never an arbitrary request. The request contains the API key, so it is encrypted.
 */
import { z } from 'zod';

/** One host record. Every field is Namecheap's own text, so that records are written back exactly as they were read. */
export const namecheapRecordSchema = z.object({
  name: z.string(),
  type: z.string(),
  address: z.string(),
  mxPref: z.string(),
  ttl: z.string(),
});

const domain = z.string();

export const namecheapRequestSchema = z.object({
  credentials: z.object({
    apiUser: z.string(),
    apiKey: z.string(),
    userName: z.string(),
    /** The address from which the call is made. */
    clientIp: z.string(),
  }),
  call: z.discriminatedUnion('method', [
    z.object({ method: z.literal('list-domains') }),
    z.object({ method: z.literal('read-records'), domain }),
    /** Replaces ALL records of the domain. */
    z.object({
      method: z.literal('write-records'),
      domain,
      /** The domain's mail setting, as read; null: unknown. */
      emailType: z.string().nullable(),
      records: z.array(namecheapRecordSchema).min(1),
    }),
  ]),
});

export const namecheapAnswerSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('domains'), domains: z.array(z.string()) }),
  z.object({
    outcome: z.literal('records'),
    /** Whether the domain uses Namecheap's name servers; otherwise its records have no effect. */
    isUsingOurDns: z.boolean(),
    emailType: z.string().nullable(),
    records: z.array(namecheapRecordSchema),
  }),
  z.object({ outcome: z.literal('written') }),
  /** Namecheap's own error number and message. */
  z.object({ outcome: z.literal('refused'), number: z.string(), message: z.string() }),
  /** No response, or an unusable one: `message` continues a sentence that starts with "Namecheap". */
  z.object({ outcome: z.literal('unavailable'), message: z.string() }),
]);

export type NamecheapRecord = z.infer<typeof namecheapRecordSchema>;
export type NamecheapRequest = z.infer<typeof namecheapRequestSchema>;
export type NamecheapCall = NamecheapRequest['call'];
export type NamecheapAnswer = z.infer<typeof namecheapAnswerSchema>;
export type NamecheapAnswerOf<Outcome extends NamecheapAnswer['outcome']> = Extract<
  NamecheapAnswer,
  { outcome: Outcome }
>;
