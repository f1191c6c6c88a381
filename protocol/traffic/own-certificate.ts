/** Certificates that owners of domains bring along, as the control plane sends them to hosts. */
import { z } from 'zod';

/** What is in the sealed box of a name. */
export const ownCertificateSchema = z.object({
  /** PEM: the certificate of the name, then those that lead to its root. */
  certificate: z.string(),
  /** PEM, PKCS #8. */
  privateKey: z.string(),
});

/** Operation of `requestPlace`: the box of one name can't be opened for another. */
export const ownCertificateOperation = (hostname: string) => `certificate ${hostname}`;
