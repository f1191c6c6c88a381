/**
 * The data of a query, or undefined while there is none. Reading `data` itself would suspend the page while the data comes for the first time: open
 * parts of it, such as a dialog, would leave the document for a moment and be closed.
 */
export const known = <Data>(query: { isSuccess: boolean; data: Data | undefined }): Data | undefined =>
  query.isSuccess ? query.data : undefined;
