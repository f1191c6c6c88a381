/**
 * What the control plane has a host ask Namecheap, whose API takes calls from allow-listed addresses alone.
 * A closed set of methods, never a request of somebody's making. It holds the API key, so it travels sealed to the host.
 */
import { z } from 'zod';

/** One host record; every field is the text that Namecheap gave, so that what is written back is what was read. */
export const namecheapRecordSchema = z.object({
  name: z.string(),
  type: z.string(),
  address: z.string(),
  mxPref: z.string(),
  ttl: z.string(),
});

const domain = z.string();

export const namecheapQuestionSchema = z.object({
  credentials: z.object({
    apiUser: z.string(),
    apiKey: z.string(),
    userName: z.string(),
    /** The address that the call comes from. */
    clientIp: z.string(),
  }),
  call: z.discriminatedUnion('method', [
    z.object({ method: z.literal('list-domains') }),
    z.object({ method: z.literal('read-records'), domain }),
    /** Replaces ALL records of the domain. */
    z.object({
      method: z.literal('write-records'),
      domain,
      /** How the domain takes mail, as read; null: it was not told. */
      emailType: z.string().nullable(),
      records: z.array(namecheapRecordSchema).min(1),
    }),
  ]),
});

export const namecheapAnswerSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('domains'), domains: z.array(z.string()) }),
  z.object({
    outcome: z.literal('records'),
    /** Whether Namecheap's name servers answer for the domain: its records mean nothing otherwise. */
    isUsingOurDns: z.boolean(),
    emailType: z.string().nullable(),
    records: z.array(namecheapRecordSchema),
  }),
  z.object({ outcome: z.literal('written') }),
  /** Namecheap's own number and words. */
  z.object({ outcome: z.literal('refused'), number: z.string(), message: z.string() }),
  /** No answer, or none that makes sense: `message` ends the sentence that begins with Namecheap's name. */
  z.object({ outcome: z.literal('unavailable'), message: z.string() }),
]);

export type NamecheapRecord = z.infer<typeof namecheapRecordSchema>;
export type NamecheapQuestion = z.infer<typeof namecheapQuestionSchema>;
export type NamecheapCall = NamecheapQuestion['call'];
export type NamecheapAnswer = z.infer<typeof namecheapAnswerSchema>;
export type NamecheapAnswerOf<Outcome extends NamecheapAnswer['outcome']> = Extract<
  NamecheapAnswer,
  { outcome: Outcome }
>;
