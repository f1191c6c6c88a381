import { z } from 'zod';

const descriptionMax = 2000;

/** May be empty. */
export const projectDescriptionSchema = z
  .string()
  .max(descriptionMax, `is too long: at most ${descriptionMax} characters`)
  .refine((text) => !text.includes('\0'), "can't hold a NUL character")
  .refine((text) => text.isWellFormed(), 'must be valid Unicode, without half of a surrogate pair');
