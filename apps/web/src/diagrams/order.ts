/** What the page and the frame that draws diagrams say to each other. */

export interface DrawingOrder {
  id: number;
  source: string;
  isDark: boolean;
}

export interface Drawing {
  /** That of its order. */
  id: number;
  /** undefined for a text that is no diagram. */
  svg: string | undefined;
}
