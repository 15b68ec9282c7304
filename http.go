package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cuatui/engine"
	"cuatui/engine/headless"
)

// tokenEnv is the variable that may hold the bearer token. It is never an
// argument, which every process of the machine can read.
const tokenEnv = "CUATUI_HTTP_TOKEN"

// serveHTTP answers agents over HTTP until a signal comes. Its error is bad usage.
func (a *app) serveHTTP(ctx context.Context) error {
	listener, err := headless.ListenLoopback(ctx, a.http)
	if errors.Is(err, headless.ErrNotLoopback) {
		return fmt.Errorf("--http: %w, not %s", err, quoted(a.http))
	}
	if err != nil {
		a.say("--http: %v", err)
		a.exit = headless.ExitError
		return nil
	}
	defer func() { _ = listener.Close() }() // it is closed already, unless nothing was served
	token, err := a.token()
	if err != nil {
		return err
	}
	a.exit = a.withEngine(ctx, func(e *engine.Engine, o headless.OneShot) headless.Exit {
		if _, err := fmt.Fprintf(a.answers, "http://%s%s\n", listener.Addr(), headless.MCPPath); err != nil {
			return headless.ExitError // run says why
		}
		server := &headless.HTTPServer{Token: token, Log: o.Log, Version: release(), Open: func() (headless.Engine, error) { return e.Namespace() }}
		return o.Ended(server.Serve(ctx, listener))
	})
	return nil
}

// token is what clients say to be let in.
func (a *app) token() (string, error) {
	given := ""
	for _, v := range a.env {
		if value, ok := strings.CutPrefix(v, tokenEnv+"="); ok {
			given = value
		}
	}
	switch {
	case given == "" && a.tokenFile == "":
		return "", fmt.Errorf("--http: needs a token: name a file for it with --http-token FILE, or set %s", tokenEnv)
	case given != "" && a.tokenFile != "":
		return "", fmt.Errorf("--http-token and %s do not go together", tokenEnv)
	case given != "":
		if err := headless.CheckToken(given); err != nil {
			return "", fmt.Errorf("%s: %w", tokenEnv, err)
		}
		return given, nil
	}
	token, err := headless.TokenFile(a.tokenFile)
	if err != nil {
		return "", fmt.Errorf("--http-token: %w", err)
	}
	return token, nil
}
