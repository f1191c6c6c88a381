/** Descriptions of fields in the API reference, for `.meta()` of their schemas. */

/** The point in time used in all examples. */
export const exampleTime = '2026-11-23T09:30:00.000Z';

/** @param description a sentence for people @param examples values that the schema accepts */
export const note = (description: string, ...examples: [unknown]) => ({ description, examples });
