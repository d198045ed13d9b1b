/** Styles are imported for their effect alone; Vite puts them beside the script that needs them. */
declare module "*.css";
