/**
 * The data of a query, or undefined while there is none. Reading `data` itself then suspends the page: what is open in it, such as a dialog,
 * leaves the document for a moment and is closed.
 */
export const known = <Data>(query: { isSuccess: boolean; data: Data | undefined }): Data | undefined =>
  query.isSuccess ? query.data : undefined;
