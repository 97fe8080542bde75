"""What every stage agrees on: tables, params, the command line. It refuses or accepts; it changes no number."""
