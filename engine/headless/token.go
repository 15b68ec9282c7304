package headless

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// The length of a token that is given: one of fewer characters could be guessed.
const (
	tokenCharsMin = 32
	tokenCharsMax = 512
)

// CheckToken says what is wrong with a bearer token, which it does not repeat.
func CheckToken(token string) error {
	if len(token) < tokenCharsMin || len(token) > tokenCharsMax {
		return fmt.Errorf("a token has %d to %d characters", tokenCharsMin, tokenCharsMax)
	}
	if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=") != "" {
		return errors.New("a token is made of A-Z a-z 0-9 - . _ ~ + / =")
	}
	return nil
}

// TokenFile returns the token that a file holds, or makes the file, which only
// its owner may read, with a new one of 256 random bits. It takes no file that
// others may read or that is reached by a link, and never writes over one.
func TokenFile(path string) (token string, err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return readToken(path)
	}
	if err != nil {
		return "", fmt.Errorf("making a token file: %w", err)
	}
	token = rand.Text() + rand.Text() // 130 bits each
	_, err = file.WriteString(token + "\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("writing a token file: %w", err), os.Remove(path))
	}
	return token, nil
}

func readToken(path string) (string, error) {
	named, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("reading a token file: %w", err)
	}
	if !named.Mode().IsRegular() { // opening a pipe would wait for its other end
		return "", errors.New("a token file is a regular file, and is reached by no link")
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading a token file: %w", err)
	}
	defer func() { _ = file.Close() }()
	opened, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("reading a token file: %w", err)
	}
	if !os.SameFile(named, opened) || !private(opened) {
		return "", errors.New("a token file belongs to you, and others may not read or write it (mode 0600)")
	}
	data, err := io.ReadAll(io.LimitReader(file, tokenCharsMax+2))
	if err != nil {
		return "", fmt.Errorf("reading a token file: %w", err)
	}
	token := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if err := CheckToken(token); err != nil {
		return "", fmt.Errorf("the token file holds no token: %w", err)
	}
	return token, nil
}
